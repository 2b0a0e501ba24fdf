package caption

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// looseTimes parses a line as a timing line whose arrow is not "-->", or that has
// full-width characters. It is a damaged one when it begins with a full time and another
// one is missing or damaged.
//
// Text can have two clock times with a dash ("12:30 - 14:00"). So both times need hours
// or a fraction, unless an arrowhead joins them and nothing follows.
func looseTimes(line []byte) (t timing, v verdict) {
	line = skipSpace(line)
	if len(line) == 0 {
		return t, noTiming
	}
	if !isDigit(line[0]) && line[0] != fullWidth {
		if isTimelike(line) {
			v = damagedTiming
		}
		return t, v
	}
	line = plainTimes(line)
	start, rest, ok := srtTime(line)
	if !ok {
		if isTimelike(line) {
			v = damagedTiming
		}
		return t, v
	}
	first := line[:len(line)-len(rest)]
	second := bytes.TrimLeft(rest, "-> \t")
	join := rest[:len(rest)-len(second)]
	if isFull(first) || isTimelike(line) {
		v = damagedTiming
	}
	if len(join) == 0 {
		return t, v
	}
	end, rest, ok := srtTime(second)
	if !ok || !isBlank(rest) && (!isSpace(rest[0]) || !areSettings(rest)) {
		return t, v
	}
	last := second[:len(second)-len(rest)]
	switch {
	case isFull(first) && isFull(last):
	case len(bytes.TrimSpace(join)) == 0: // times need an arrow or full times
		return t, v
	case isExact(first) && isExact(last), isBlank(rest) && bytes.IndexByte(join, '>') >= 0:
	default:
		return t, v
	}
	return timing{start: start, end: end, first: first, last: last}, goodTiming
}

// settings are the names of what may follow the times: those of WebVTT, of SubRip, and of
// drafts of WebVTT.
var settings = []string{"vertical", "line", "position", "size", "align", "region", "x1", "x2", "y1", "y2", "a", "d", "l", "s", "t"}

// settingWords are the values of settings that are no numbers.
var settingWords = []string{"start", "center", "middle", "end", "left", "right", "rl", "lr", "vertical", "vertical-lr", "auto", "line-left", "line-right"}

// areSettings reports whether what follows the times places the cue on the screen. All
// else is text, which no player shows.
func areSettings(b []byte) bool {
	open := false // a name is waiting for its value
	for word := range bytes.FieldsSeq(bytes.Trim(b, "\x00")) {
		name, value, named := bytes.Cut(word, []byte(":"))
		if !named {
			name, value = nil, word
		}
		if named == open || named && !slices.Contains(settings, string(bytes.ToLower(name))) {
			return false
		}
		if open = named && len(value) == 0; !open && !isSetting(string(name), value) {
			return false
		}
	}
	return !open
}

// isSetting reports whether a value can be that of a setting.
func isSetting(name string, value []byte) bool {
	switch name {
	case "region":
		return true
	case "position", "size":
		return bytes.IndexByte(value, '%') > 0 || isNumber(value)
	}
	word, more, _ := bytes.Cut(value, []byte(","))
	if len(more) > 0 && !slices.Contains(settingWords, string(more)) {
		return false
	}
	return slices.Contains(settingWords, string(word)) || isNumber(bytes.TrimSuffix(word, []byte("%")))
}

// endsAsSetting reports whether a line is the end of settings, as after a line break among
// them.
func endsAsSetting(line []byte) bool {
	name, value, named := bytes.Cut(bytes.TrimSpace(line), []byte(":"))
	return named && len(bytes.Fields(name)) < 2 && (areSettings(line) || isSetting("", value))
}

// isClock reports whether a line with an arrow is talk: a clock time without seconds, and
// a word after the arrow, or a number and a word.
func isClock(before, after []byte) bool {
	_, rest, ok := srtTime(before)
	if !ok || !isBlank(rest) || isExact(before) {
		return false
	}
	after = skipSpace(after)
	if _, size, rest := digits(after); size > 0 && len(rest) > 0 && isSpace(rest[0]) {
		after = skipSpace(rest)
	}
	return len(after) > 0 && !isDigit(after[0]) &&
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
		case isDash(r), r == utf8.RuneError && (line[0] == 0x96 || line[0] == 0x97): // the dashes of Windows-1252
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

// isDash reports the long dashes and the sign for minus.
func isDash(r rune) bool { return '‐' <= r && r <= '―' || r == '−' }
