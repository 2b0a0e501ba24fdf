package wire

import (
	"cmp"
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Unknown returns the members of a JSON text for which a value of the type has no field, each
// by its place (a JSON Pointer, RFC 6901), or nil if there is none. It looks into objects and
// lists, and not into values of any type.
func Unknown(text []byte, into reflect.Type) map[string]json.RawMessage {
	found := unknown{}
	found.look("", text, into)
	if len(found) == 0 {
		return nil
	}
	return found
}

// EventData is the type of an event's data; nil for an unknown event.
func EventData(name transcript.EventType) reflect.Type {
	switch name {
	case transcript.EventSnapshot, transcript.EventCompleted, transcript.EventFailed, transcript.EventCancelled:
		return reflect.TypeFor[transcript.Job]()
	case transcript.EventProgress:
		return reflect.TypeFor[Progress]()
	case transcript.EventSegments:
		return reflect.TypeFor[transcript.EarlySegments]()
	case transcript.EventClosing:
		return reflect.TypeFor[transcript.Closing]()
	}
	return nil
}

type unknown map[string]json.RawMessage

func (u unknown) look(at string, text []byte, into reflect.Type) {
	for into.Kind() == reflect.Pointer {
		into = into.Elem()
	}
	switch {
	case into.Kind() == reflect.Struct:
		if known := members(into); known != nil {
			u.object(at, text, known)
		}
	case into.Kind() == reflect.Map:
		for name, value := range decoded[map[string]json.RawMessage](text) {
			u.look(at+"/"+pointer(name), value, into.Elem())
		}
	case into.Kind() == reflect.Slice && into != reflect.TypeFor[json.RawMessage]():
		for i, value := range decoded[[]json.RawMessage](text) {
			u.look(at+"/"+strconv.Itoa(i), value, into.Elem())
		}
	}
}

func (u unknown) object(at string, text []byte, known map[string]reflect.Type) {
	for name, value := range decoded[map[string]json.RawMessage](text) {
		at := at + "/" + pointer(name)
		if of, ok := known[strings.ToLower(name)]; ok {
			u.look(at, value, of)
		} else {
			u[at] = value
		}
	}
}

// members are the members for which a struct has fields, by their names in lower case,
// because encoding/json ignores the case; nil if the type reads its JSON itself.
func members(t reflect.Type) map[string]reflect.Type {
	known := map[string]reflect.Type{}
	switch t {
	case reflect.TypeFor[transcript.Job](): // the members of the result are next to those of the job
		addFields(known, reflect.TypeFor[transcript.Result]())
	case reflect.TypeFor[transcript.Result]():
		known["status"] = reflect.TypeFor[transcript.JobStatus]()
	case reflect.TypeFor[transcript.Word]():
		known["duration"] = reflect.TypeFor[float64]()
	default:
		if leaf(t) {
			return nil
		}
	}
	addFields(known, t)
	return known
}

func addFields(known map[string]reflect.Type, t reflect.Type) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case field.Anonymous && name == "" && field.Type.Kind() == reflect.Struct:
			addFields(known, field.Type)
		case field.IsExported():
			known[strings.ToLower(cmp.Or(name, field.Name))] = field.Type
		}
	}
}

// leaf reports whether a type reads its text by itself.
func leaf(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// pointer escapes a name for a JSON Pointer.
func pointer(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

// decoded is the object or the list of a text; nil if the text is something else.
func decoded[T any](text []byte) (v T) {
	_ = json.Unmarshal(text, &v) // another kind of text has no members
	return v
}
