package account

import (
	"bytes"
	"cmp"
	"encoding/json"
	"regexp"
	"strconv"

	"github.com/transcriptkit/transcriptkit/internal/clip"
)

// reader reads the value at a path of a document.
type reader func(path string, value json.RawMessage) error

// members are the permitted members of an object, by name.
type members map[string]reader

// plainName matches a name that a path shows without quotes.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func join(path, name string) string {
	if !plainName.MatchString(name) {
		name = strconv.Quote(clip.Text(name))
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

// read reads an object. Unknown and repeated members are errors.
func (m members) read(path string, object json.RawMessage) error {
	return readObject(path, object, func(path, name string, value json.RawMessage) error {
		read, ok := m[name]
		if !ok {
			return faultf(path, "is not a known member")
		}
		return read(path, value)
	})
}

// readObject calls member for each member of an object, in order, with the member's path. The
// document must be valid JSON.
func readObject(path string, object json.RawMessage, member func(path, name string, value json.RawMessage) error) error {
	dec := json.NewDecoder(bytes.NewReader(object))
	if start, err := dec.Token(); err != nil || start != json.Delim('{') {
		return faultf(cmp.Or(path, "the document"), "must be a JSON object")
	}
	seen := map[string]bool{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return err
		}
		name := token.(string) // the decoder accepts only strings as names
		at := join(path, name)
		if seen[name] {
			return faultf(at, "is there more than once")
		}
		seen[name] = true
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return err
		}
		if err := member(at, name, value); err != nil {
			return err
		}
	}
	return nil
}

func isNull(value json.RawMessage) bool { return string(value) == "null" }

func boolOf(at *bool) reader {
	return func(path string, value json.RawMessage) error {
		if s := string(value); s != "true" && s != "false" {
			return faultf(path, "must be true or false")
		}
		return json.Unmarshal(value, at)
	}
}

func textOf(at *string) reader {
	return func(path string, value json.RawMessage) error {
		if isNull(value) || json.Unmarshal(value, at) != nil {
			return faultf(path, "must be a text")
		}
		return nil
	}
}

func numberOf(at *int, least, most int64) reader {
	return func(path string, value json.RawMessage) error {
		n, err := whole(path, value, least, most, "")
		*at = int(n)
		return err
	}
}

// read reads a limit, which may be null.
func (l limit) read(path string, value json.RawMessage) error {
	if isNull(value) {
		l.set(Unlimited)
		return nil
	}
	n, err := whole(path, value, 0, l.most, ", or null")
	l.set(n * l.unit)
	return err
}

// whole reads a number that consists only of digits.
func whole(path string, value json.RawMessage, least, most int64, orElse string) (int64, error) {
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil || n < least || n > most {
		return 0, faultf(path, "is %s: it must be a whole number, %d to %d%s", clip.Text(string(value)), least, most, orElse)
	}
	return n, nil
}
