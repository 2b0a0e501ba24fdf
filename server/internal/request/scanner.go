package request

import (
	"bytes"
	"encoding/json"
	"strings"
)

// scanner takes a JSON object apart and leaves its values as they stand there,
// once it has been seen that they are JSON. A [json.Decoder] that reads member by
// member makes and drops an error after each name and each value.
type scanner struct{ rest []byte }

const whiteSpace = " \t\r\n" // as JSON has it

func (s *scanner) atEnd() bool {
	s.rest = bytes.TrimLeft(s.rest, whiteSpace)
	return len(s.rest) == 0
}

// take reports whether the next character is c, and then goes behind it.
func (s *scanner) take(c byte) bool {
	if s.atEnd() || s.rest[0] != c {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

// member takes a name and its value. It reports false where they are not JSON.
func (s *scanner) member() (name string, value json.RawMessage, ok bool) {
	quoted := s.value()
	if !json.Valid(quoted) || !s.take(':') {
		return "", nil, false
	}
	value = s.value()
	if !json.Valid(value) {
		return "", nil, false
	}
	name, ok = unquote(quoted)
	return name, value, ok
}

// value takes what stands before the character that ends a value: the first of
// ,:}] that is in no string, object or array of the value.
func (s *scanner) value() json.RawMessage {
	end, depth, inString := 0, 0, false
	for ; end < len(s.rest); end++ {
		c := s.rest[end]
		switch {
		case inString && c == '\\':
			end++ // what it escapes is no quote
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
		case depth == 0 && strings.IndexByte(",:}]", c) >= 0:
			return s.cut(end)
		case c == '}' || c == ']':
			depth--
		}
	}
	return s.cut(len(s.rest))
}

func (s *scanner) cut(end int) json.RawMessage {
	value := bytes.Trim(s.rest[:end], whiteSpace)
	s.rest = s.rest[end:]
	return value
}
