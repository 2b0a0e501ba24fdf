package caption

import (
	"bytes"

	"github.com/transcriptkit/transcriptkit/transcript/internal/eight"
)

// timingLine parses a timing line. arrowed says that "-->" is in the line.
func timingLine(line []byte, arrowed bool) (t timing, v verdict) {
	if !arrowed {
		return looseTimes(line)
	}
	plain := line
	if bytes.IndexByte(line, fullWidth) >= 0 {
		plain = plainTimes(line)
	}
	if t, ok := arrowTimes(plain); ok {
		return t, goodTiming
	}
	if t, v = looseTimes(line); v == goodTiming { // a long dash before the arrow
		return t, v
	}
	before, after, _ := bytes.Cut(plain, arrow)
	switch {
	case isClock(before, after):
		return timing{}, noTiming
	case startsTime(before), isTime(after), isTimelike(plain):
		return timing{}, damagedTiming
	}
	return timing{}, noTiming
}

// arrowTimes parses a line with an arrow and times on both sides.
func arrowTimes(line []byte) (t timing, ok bool) {
	before, after, _ := bytes.Cut(line, arrow)
	var rest []byte
	t.start, rest, ok = anyTime(before)
	if !ok || len(bytes.Trim(rest, "- \t")) > 0 {
		return t, false
	}
	t.end, t.rest, ok = anyTime(after)
	t.first, t.last = before[:len(before)-len(rest)], after[:len(after)-len(t.rest)]
	return t, ok && (len(t.rest) == 0 || isSpace(t.rest[0]) || t.rest[0] == 0)
}

// startsTime reports whether a text begins with a number and a colon, as times do.
func startsTime(b []byte) bool {
	_, size, b := digits(skipSpace(b))
	return size > 0 && len(b) > 0 && b[0] == ':'
}

// isTime reports whether a text begins with a time that has hours or a fraction.
func isTime(b []byte) bool {
	_, rest, ok := srtTime(b)
	return ok && isExact(b[:len(b)-len(rest)])
}

// anyTime parses a time as srtTime does, and a full time with other marks between its
// numbers ("00.00.01.000").
func anyTime(b []byte) (ms int64, rest []byte, ok bool) {
	if ms, rest, ok = srtTime(b); ok {
		return ms, rest, ok
	}
	b = skipSpace(b)
	if len(b) < fullSize || len(b) > fullSize && isDigit(b[fullSize]) {
		return 0, b, false
	}
	for _, at := range []int{2, 5, 8} {
		if bytes.IndexByte([]byte(":;.,"), b[at]) < 0 {
			return 0, b, false
		}
	}
	ms, ok = eight.Clock([]byte{b[0], b[1], ':', b[3], b[4], ':', b[6], b[7], ',', b[9], b[10], b[11]})
	return ms, b[fullSize:], ok
}

// srtTime parses a time, in milliseconds, and returns what follows it. It has two
// numbers at least.
func srtTime(b []byte) (ms int64, rest []byte, ok bool) {
	b = skipSpace(b)
	if ms, ok := fullTime(b); ok {
		return ms, b[fullSize:], true
	}
	b, negative := bytes.CutPrefix(b, []byte("-"))
	sec, size, b := digits(b)
	if size == 0 {
		return 0, b, false
	}
	parts := 1
	for ; parts < 3; parts++ {
		v, rest, ok := after(b, ":")
		if !ok {
			break
		}
		sec, b = sec*60+v, rest
	}
	if parts == 1 {
		return 0, b, false
	}
	ms, b = fraction3(b)
	if negative {
		return 0, b, true
	}
	return min(sec*1000+ms, maxHours*3600*1000), b, true
}

// fullSize is the size of a full time.
const fullSize = len("00:00:00,000")

// fullTime parses a full time, HH:MM:SS and milliseconds after a comma or a dot, which
// no digit follows. Nearly every time is written so, and there is one at every word
// of automatic captions: so its digits are read at once.
func fullTime(b []byte) (ms int64, ok bool) {
	if len(b) < fullSize || b[2] != ':' || b[5] != ':' || b[8] != ',' && b[8] != '.' || len(b) > fullSize && isDigit(b[fullSize]) {
		return 0, false
	}
	return eight.Clock(b)
}

// after parses a number after one of the separators, with white space around that.
func after(b []byte, separators string) (v int64, rest []byte, ok bool) {
	next := skipSpace(b)
	if len(next) == 0 || bytes.IndexByte([]byte(separators), next[0]) < 0 {
		return 0, b, false
	}
	v, size, next := digits(skipSpace(next[1:]))
	if size == 0 {
		return 0, b, false
	}
	return v, next, true
}

// fraction3 parses a fraction of a second, in milliseconds; it, or its digits, may not be
// there.
func fraction3(b []byte) (ms int64, rest []byte) {
	next := skipSpace(b)
	if len(next) == 0 || bytes.IndexByte([]byte(",.:"), next[0]) < 0 {
		return 0, b
	}
	next = skipSpace(next[1:])
	size := 0
	for unit := int64(100); size < len(next) && isDigit(next[size]); unit /= 10 {
		ms += int64(next[size]-'0') * unit
		size++
	}
	return ms, next[size:]
}
