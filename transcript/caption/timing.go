package caption

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// timing is what a timing line says, in milliseconds.
type timing struct {
	start, end  int64
	first, last []byte // the times as they are written
	rest        []byte // what follows them
}

// verdict tells what a line is.
type verdict byte

const (
	noTiming      verdict = iota // text
	damagedTiming                // it was meant as a timing line, and one of the times cannot be read
	goodTiming
)

// longestTiming bounds, in bytes, a timing line with a comma or another mark between the
// times. Longer lines are text.
const longestTiming = 100

// markedTimes parses a line with two times and one of the marks between them.
func markedTimes(line []byte, marks string) (t timing, v verdict) {
	if len(line) > longestTiming {
		return t, noTiming
	}
	line = plainTimes(bytes.TrimSpace(line))
	if len(line) == 0 || !isDigit(line[0]) && line[0] != '-' {
		return t, noTiming
	}
	for i, c := range line {
		if bytes.IndexByte([]byte(marks), c) < 0 {
			continue
		}
		var okStart, okEnd bool
		t.first, t.last = bytes.TrimSpace(line[:i]), bytes.TrimSpace(line[i+1:])
		t.start, okStart = wholeTime(t.first)
		t.end, okEnd = wholeTime(t.last)
		if okStart && okEnd {
			return t, goodTiming
		}
	}
	return timing{}, noTiming
}

// wholeTime parses a time with hours or a fraction, and nothing after it.
func wholeTime(b []byte) (ms int64, ok bool) {
	ms, rest, ok := srtTime(b)
	return ms, ok && len(rest) == 0 && isExact(b)
}

// isTimelike reports whether a line consists of the digits and marks of two times, but
// for a byte or two. Such a line was meant as a timing line.
func isTimelike(line []byte) bool {
	if len(line) > longestTiming {
		return false
	}
	digits, colons, others := 0, 0, 0
	for len(line) > 0 && others <= 2 {
		r, size := utf8.DecodeRune(line)
		if '！' <= r && r <= '～' {
			r += '!' - '！'
		}
		line = line[size:]
		switch {
		case '0' <= r && r <= '9':
			digits++
		case r == ':':
			colons++
		case !isSpaceRune(r) && !strings.ContainsRune(",.;->", r) && !isDash(r):
			others++
		}
	}
	return digits >= 8 && colons >= 3 && others <= 2
}

// isNumber reports whether a text is a decimal number.
func isNumber(b []byte) bool {
	_, size, rest := digits(bytes.TrimPrefix(b, []byte("-")))
	if len(rest) > 0 && rest[0] == '.' {
		_, _, rest = digits(rest[1:])
	}
	return size > 0 && len(rest) == 0
}
