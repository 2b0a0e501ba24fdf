package wire

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Milliseconds rounds a time in seconds as [AppendSegments] does. A negative time, or
// not-a-number, is 0.
func Milliseconds(seconds float64) int64 {
	if !(seconds > 0) {
		return 0
	}
	return int64(math.Round(min(seconds, maxSeconds) * 1000))
}

// maxSeconds is the largest time that is written, more than 30,000 years. Below this bound a
// float64 holds milliseconds exactly enough to be read back equal.
const maxSeconds = 1e12

// AppendSegments appends segs as a JSON array and returns the extended buffer. It allocates
// only the space that the buffer lacks. Start and duration are rounded to milliseconds; they
// are 0 if negative or not-a-number. A confidence of not-a-number is left out. Invalid UTF-8
// becomes U+FFFD. Characters with a meaning in HTML are not escaped.
func AppendSegments(dst []byte, segs []transcript.Segment) []byte {
	dst = append(dst, '[')
	for i := range segs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendSegment(dst, &segs[i])
	}
	return append(dst, ']')
}

func appendSegment(dst []byte, s *transcript.Segment) []byte {
	dst = append(dst, `{"text":`...)
	dst = appendString(dst, s.Text)
	dst = append(dst, `,"start":`...)
	dst = appendSeconds(dst, s.Start)
	dst = append(dst, `,"duration":`...)
	dst = appendSeconds(dst, s.Duration)
	if s.Speaker != "" {
		dst = append(dst, `,"speaker":`...)
		dst = appendString(dst, s.Speaker)
	}
	if c := s.Confidence; c != nil && !math.IsNaN(*c) && !math.IsInf(*c, 0) {
		dst = append(dst, `,"confidence":`...)
		dst = strconv.AppendFloat(dst, *c, 'g', -1, 64)
	}
	return append(dst, '}')
}

// appendSeconds appends a time with as many decimals as it needs, at most three.
func appendSeconds(dst []byte, seconds float64) []byte {
	return appendMilliseconds(dst, Milliseconds(seconds))
}

func appendMilliseconds(dst []byte, ms int64) []byte {
	dst = strconv.AppendInt(dst, ms/1000, 10)
	ms %= 1000
	if ms == 0 {
		return dst
	}
	dst = append(dst, '.', byte('0'+ms/100))
	if ms %= 100; ms > 0 {
		dst = append(dst, byte('0'+ms/10))
	}
	if ms %= 10; ms > 0 {
		dst = append(dst, byte('0'+ms))
	}
	return dst
}

// plain marks the ASCII characters that a JSON string can hold unescaped.
var plain = func() (table [256]bool) {
	for c := byte(' '); c < utf8.RuneSelf; c++ {
		table[c] = c != '"' && c != '\\'
	}
	return table
}()

const hex = "0123456789abcdef"

// appendString appends s as a JSON string.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	done := 0 // s[:done] is in dst already
	for i := 0; i < len(s); {
		c := s[i]
		if plain[c] {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			dst = appendEscape(append(dst, s[done:i]...), c)
			i++
			done = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(append(dst, s[done:i]...), "\uFFFD"...)
			done = i + size
		case r == '\u2028', r == '\u2029': // JavaScript reads these as line ends
			dst = append(append(dst, s[done:i]...), `\u202`...)
			dst = append(dst, hex[r&0xF])
			done = i + size
		}
		i += size
	}
	dst = append(dst, s[done:]...)
	return append(dst, '"')
}

// appendEscape appends the escape of an ASCII character.
func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	return append(append(dst, `\u00`...), hex[c>>4], hex[c&0xF])
}

// indexOfSegments finds the empty array of segments in a rendered transcript. Only two times
// follow the array, so its last occurrence is the right one, even if the metadata contains the
// same text.
func indexOfSegments(b []byte) int {
	const member = `"segments":`
	return bytes.LastIndex(b, []byte(member+"[]")) + len(member)
}
