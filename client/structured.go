package client

import (
	"strconv"
	"strings"
)

// structured reads a list of structured fields (RFC 9651), as far as the headers RateLimit and
// RateLimit-Policy need it: strings with parameters.
type structured struct {
	rest string
	bad  bool // the list cannot be read
}

// next reads an item and hands its parameters to each. It reports whether there was an item.
func (s *structured) next(each func(item, key, value string)) bool {
	s.rest = strings.TrimLeft(s.rest, " \t")
	if s.bad || s.rest == "" {
		return false
	}
	item := s.quoted()
	for !s.bad && strings.HasPrefix(s.rest, ";") {
		s.rest = strings.TrimLeft(s.rest[1:], " ")
		key, value := s.until("=;, \t"), ""
		if strings.HasPrefix(s.rest, "=") {
			s.rest = s.rest[1:]
			value = s.value()
		}
		s.bad = s.bad || key == ""
		each(item, key, value)
	}
	s.rest = strings.TrimLeft(s.rest, " \t")
	if s.rest != "" {
		var more bool
		s.rest, more = strings.CutPrefix(s.rest, ",")
		s.bad = s.bad || !more || strings.TrimLeft(s.rest, " \t") == ""
	}
	return !s.bad
}

// value reads the value of a parameter as it is written.
func (s *structured) value() string {
	if strings.HasPrefix(s.rest, `"`) {
		return s.quoted()
	}
	value := s.until(";, \t")
	s.bad = s.bad || value == ""
	return value
}

// quoted reads a string, with its quotes.
func (s *structured) quoted() string {
	quoted, err := strconv.QuotedPrefix(s.rest)
	if err != nil || quoted[0] != '"' {
		s.bad = true
		return ""
	}
	s.rest = s.rest[len(quoted):]
	return quoted
}

// until reads up to one of the characters.
func (s *structured) until(end string) string {
	i := strings.IndexAny(s.rest, end)
	if i < 0 {
		i = len(s.rest)
	}
	word := s.rest[:i]
	s.rest = s.rest[i:]
	return word
}
