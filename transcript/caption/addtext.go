package caption

import "bytes"

// addText adds text of a format that leaves white space to its readers: no-break spaces
// are spaces, and zero-width ones, with which lines are padded, show only within
// a word. A cue of maxBlock or more is too large.
func (t *cueText) addText(b, voice []byte) error {
	if len(t.out)+len(b) >= maxBlock {
		return ErrTooLarge
	}
	if bytes.Contains(b, noBreak) {
		b = bytes.ReplaceAll(b, noBreak, []byte(" "))
	}
	if bytes.Contains(b, zeroWidth) {
		b = trimZeroWidth(b)
	}
	t.show(b, voice)
	return nil
}

var (
	noBreak   = []byte("\u00A0")
	zeroWidth = []byte("\u200B")
)

// trimZeroWidth leaves the zero-width spaces at the edges of words out.
func trimZeroWidth(b []byte) []byte {
	var out []byte
	for len(b) > 0 {
		n := 0
		for n < len(b) && isSpace(b[n]) {
			n++
		}
		out, b = append(out, b[:n]...), b[n:]
		for n = 0; n < len(b) && !isSpace(b[n]); n++ {
		}
		out, b = append(out, trimAll(b[:n], zeroWidth)...), b[n:]
	}
	return out
}

// trimAll cuts cut off both ends of b as often as it is there.
func trimAll(b, cut []byte) []byte {
	for bytes.HasPrefix(b, cut) {
		b = b[len(cut):]
	}
	for bytes.HasSuffix(b, cut) {
		b = b[:len(b)-len(cut)]
	}
	return b
}

// mark records a time, in milliseconds, and the confidence in the words after it. Of
// several marks without text between them, mark keeps the first and the last: the end
// of the words before, and the start of the words after.
func (t *cueText) mark(ms int64, confidence float64) {
	m, n := mark{at: len(t.out), ms: ms, confidence: confidence}, len(t.marks)
	if n > 1 && t.marks[n-1].at == m.at && t.marks[n-2].at == m.at {
		t.marks[n-1] = m
		return
	}
	t.marks = append(t.marks, m)
}
