package caption

import (
	"bytes"
	"unicode/utf8"
)

// looseTimes parses a line as a timing line whose arrow is not "-->", or that has
// full-width characters, in milliseconds. It is meant as one without being read when it
// begins with a full time and another one is missing or damaged.
//
// Text can have two clock times with a dash ("12:30 - 14:00"). So both times need hours
// or a fraction, unless an arrowhead joins them and nothing follows.
func looseTimes(line []byte) (start, end int64, ok, meant bool) {
	line = skipSpace(line)
	if len(line) == 0 || !isDigit(line[0]) && line[0] != fullWidth {
		return 0, 0, false, false
	}
	line = plainTimes(line)
	start, rest, ok := srtTime(line)
	if !ok {
		return 0, 0, false, false
	}
	first := line[:len(line)-len(rest)]
	second := bytes.TrimLeft(rest, "-> \t")
	join := rest[:len(rest)-len(second)]
	meant = isFull(first)
	if len(join) == 0 {
		return 0, 0, false, meant
	}
	end, rest, ok = srtTime(second)
	if !ok || !isBlank(rest) && !isPlace(rest) {
		return 0, 0, false, meant
	}
	last := second[:len(second)-len(rest)]
	switch {
	case isFull(first) && isFull(last):
		return start, end, true, true
	case len(bytes.TrimSpace(join)) == 0: // times need an arrow or full times
		return 0, 0, false, meant
	case isExact(first) && isExact(last), isBlank(rest) && bytes.IndexByte(join, '>') >= 0:
		return start, end, true, true
	}
	return 0, 0, false, meant
}

// isPlace reports whether what follows the times is coordinates ("X1:10 X2:20") and no
// text of the cue.
func isPlace(b []byte) bool {
	return isSpace(b[0]) && bytes.HasPrefix(skipSpace(b), []byte("X1:"))
}

// isClock reports whether a line with an arrow is talk: a clock time without seconds,
// and a word after the arrow.
func isClock(line []byte) bool {
	before, after, _ := bytes.Cut(line, arrow)
	_, rest, ok := srtTime(before)
	after = skipSpace(after)
	return ok && isBlank(rest) && !isExact(before) && len(after) > 0 && !isDigit(after[0]) &&
		('a' <= after[0]|0x20 && after[0]|0x20 <= 'z' || after[0] >= utf8.RuneSelf && after[0] != fullWidth)
}

// isExact reports whether a time has hours or a fraction.
func isExact(time []byte) bool {
	return bytes.Count(time, []byte(":")) > 1 || bytes.ContainsAny(time, ",.")
}

// isFull reports whether a time has hours and a fraction.
func isFull(time []byte) bool {
	colons := bytes.Count(time, []byte(":"))
	return colons > 2 || colons == 2 && bytes.ContainsAny(time, ",.")
}

// fullWidth begins each full-width character in UTF-8.
const fullWidth = 0xEF

// plainTimes writes dashes, arrows, and full-width digits and marks in ASCII. A line in
// ASCII stays as it is.
func plainTimes(line []byte) []byte {
	if isASCII(line) {
		return line
	}
	plain := make([]byte, 0, len(line))
	for len(line) > 0 {
		r, size := utf8.DecodeRune(line)
		switch {
		case '！' <= r && r <= '～':
			plain = append(plain, byte(r-'！'+'!'))
		case '‐' <= r && r <= '―', r == '−', r == utf8.RuneError && (line[0] == 0x96 || line[0] == 0x97): // the dashes of Windows-1252
			plain = append(plain, '-')
		case r == '→', r == '⇒', r == '➔', r == '›':
			plain = append(plain, '>')
		case r == '\u00A0', r == '\u3000':
			plain = append(plain, ' ')
		default:
			plain = append(plain, line[:size]...)
		}
		line = line[size:]
	}
	return plain
}
