// Package settings reads the two files of settings that the programs here know: the file of --links
// and the file of --recognizers. A running service reads them again when they change.
//
//	links, err := settings.ReadLinks("links.json")
//	…
//	if links.Changed() {
//		links, err = settings.ReadLinks(links.Path())
//	}
package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/examples/internal/plain"
)

// maxSettings limits a file of settings, and each file that it names, in bytes.
const maxSettings = 1 << 20

// File is a file of settings, as it was read. The zero value is not a file.
type File struct {
	path string
	read []looked // the file, and the files that it names
}

// looked is the state of a file when it was read; a nil info means that it was missing.
type looked struct {
	path string
	info fs.FileInfo
}

// Path returns the absolute path of the file, or empty if there is none.
func (f File) Path() string { return f.path }

// Changed reports whether the file, or a file that it names, has changed since it was read.
func (f File) Changed() bool {
	return slices.ContainsFunc(f.read, func(before looked) bool {
		now, err := os.Stat(before.path)
		if err != nil || before.info == nil {
			return (err == nil) != (before.info != nil)
		}
		return !os.SameFile(now, before.info) || now.Size() != before.info.Size() || !now.ModTime().Equal(before.info.ModTime())
	})
}

// open begins to read a file of settings, and decodes its members into a struct.
func (f *File) open(path string, into any) error {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	f.path, f.read = absolute, nil
	text, err := f.content(absolute)
	if err != nil {
		return err
	}
	var syntax *json.SyntaxError
	if err := json.Unmarshal(text, new(any)); errors.As(err, &syntax) {
		return fmt.Errorf("%s: no JSON at line %d", path, 1+bytes.Count(text[:min(int(syntax.Offset), len(text))], []byte("\n")))
	}
	if err := strict(text, "", reflect.ValueOf(into).Elem()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// content returns the content of a file of at most maxSettings bytes, and remembers the file.
func (f *File) content(path string) ([]byte, error) {
	info, err := os.Stat(path) // before the reading, so that a change during the reading is detected later
	if err != nil {
		f.read = append(f.read, looked{path, nil})
		return nil, err
	}
	f.read = append(f.read, looked{path, info})
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxSettings+1))
	if len(text) > maxSettings {
		return nil, fmt.Errorf("%s: larger than %d bytes", path, maxSettings)
	}
	return text, err
}

// in returns the absolute path of a file that the settings name: a relative name is relative to the
// folder of the settings.
func (f *File) in(name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(f.path), name)
}

// executable is like in, but for a program: a name without a folder is looked up in PATH.
func (f *File) executable(name string) string {
	if !strings.ContainsRune(name, filepath.Separator) {
		return name
	}
	return f.in(name)
}

// keyIn returns the key in a file that the settings name, or empty if no file is named.
func (f *File) keyIn(member, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	text, err := f.content(f.in(name))
	if err != nil {
		return "", f.Wrong(member, err)
	}
	key := string(bytes.TrimSpace(text))
	if key == "" || strings.ContainsFunc(key, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return "", f.Wrong(member, fmt.Errorf("%s: want a key and nothing else", name))
	}
	return key, nil
}

// Wrong returns an error about a member.
func (f File) Wrong(member string, err error) error {
	return fmt.Errorf("%s: %s: %s", f.path, member, plain.Words(err))
}

// strict decodes JSON into a value, and refuses unknown members. An error names the member, as in
// exits[0].address, and repeats no value.
func strict(text json.RawMessage, member string, to reflect.Value) error {
	at := func(name string) string { return strings.TrimPrefix(member+"."+name, ".") }
	switch {
	case to.Type() == reflect.TypeFor[json.RawMessage]():
		to.SetBytes(text)
		return nil
	case to.Kind() == reflect.Struct:
		members := map[string]json.RawMessage{}
		if json.Unmarshal(text, &members) != nil || bytes.Equal(text, []byte("null")) {
			return fault(member, "must be a JSON object")
		}
		fields := membersOf(to)
		for _, name := range slices.Sorted(maps.Keys(members)) {
			field, known := fields[name]
			if !known {
				return fault(at(clipped(name)), "is unknown: want one of "+strings.Join(slices.Sorted(maps.Keys(fields)), ", "))
			}
			if err := strict(members[name], at(name), field); err != nil {
				return err
			}
		}
		return nil
	case to.Kind() == reflect.Slice && to.Type().Elem().Kind() == reflect.Struct:
		var entries []json.RawMessage
		if json.Unmarshal(text, &entries) != nil || entries == nil {
			return fault(member, "must be a list of objects")
		}
		to.Set(reflect.MakeSlice(to.Type(), len(entries), len(entries)))
		for i, entry := range entries {
			if err := strict(entry, fmt.Sprintf("%s[%d]", member, i), to.Index(i)); err != nil {
				return err
			}
		}
		return nil
	}
	if json.Unmarshal(text, to.Addr().Interface()) != nil || bytes.Equal(text, []byte("null")) {
		return fault(member, "must be "+kindOf(to.Type()))
	}
	return nil
}

func fault(member, says string) error {
	return errors.New(strings.TrimPrefix(member+": "+says, ": "))
}

// clipped limits a name from a file.
func clipped(name string) string {
	if len(name) > 50 {
		return strings.ToValidUTF8(name[:50], "") + "…"
	}
	return name
}

// membersOf returns the fields of a struct that are members of JSON.
func membersOf(of reflect.Value) map[string]reflect.Value {
	fields := map[string]reflect.Value{}
	for i := range of.NumField() {
		if name := of.Type().Field(i).Tag.Get("json"); name != "" {
			fields[name] = of.Field(i)
		}
	}
	return fields
}

// kindOf names a type of JSON in words.
func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "a list of texts"
	}
	return "an object of texts"
}

// later returns the members with the tag next that differ between two structs.
func later(in string, before, now reflect.Value) (all []string) {
	for i := range before.NumField() {
		field := before.Type().Field(i)
		name := in + field.Tag.Get("json")
		_, next := field.Tag.Lookup("next")
		switch {
		case next && !reflect.DeepEqual(before.Field(i).Interface(), now.Field(i).Interface()):
			all = append(all, name)
		case !next && field.Type.Kind() == reflect.Struct:
			all = append(all, later(name+".", before.Field(i), now.Field(i))...)
		}
	}
	return all
}

// Words returns the text of an error about a file of settings, for a log.
func Words(err error) string { return plain.Words(err) }

// Member documents a member of a file of settings.
type Member struct {
	Name    string // as exits[].address
	Kind    string // such as "a text"; empty means an object, whose members follow
	Default string
	Help    string
	Next    bool // a change takes effect at the next start
}

// Members documents the members of the files of --links and --recognizers, in the order of the pages.
func Members() (links, recognizers []Member) {
	return document("", false, reflect.TypeFor[linksMembers]()), document("", false, reflect.TypeFor[recognizersMembers]())
}

func document(in string, next bool, of reflect.Type) (all []Member) {
	for i := range of.NumField() {
		field := of.Field(i)
		_, marked := field.Tag.Lookup("next")
		m := Member{Name: in + field.Tag.Get("json"), Default: field.Tag.Get("default"), Help: field.Tag.Get("help"), Next: next || marked}
		inner, below := field.Type, m.Name+"."
		if inner.Kind() == reflect.Slice && inner.Elem().Kind() == reflect.Struct {
			inner, below, m.Kind = inner.Elem(), m.Name+"[].", "a list of objects"
		}
		switch {
		case inner.Kind() == reflect.Struct:
			all = append(append(all, m), document(below, m.Next, inner)...)
			continue
		case field.Type == reflect.TypeFor[json.RawMessage]() && m.Name == "players":
			m.Kind = "a list of objects"
		case field.Type == reflect.TypeFor[json.RawMessage]():
			m.Kind = "an object"
		default:
			m.Kind = kindOf(field.Type)
		}
		all = append(all, m)
	}
	return all
}
