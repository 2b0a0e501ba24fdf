package caption

import "bytes"

// addText adds text of a format that leaves white space to its readers: no-break spaces
// are spaces. A cue of maxBlock or more is too large.
func (t *cueText) addText(b, voice []byte) error {
	if len(t.out)+len(b) >= maxBlock {
		return ErrTooLarge
	}
	if bytes.Contains(b, noBreak) {
		b = bytes.ReplaceAll(b, noBreak, []byte(" "))
	}
	t.show(b, voice)
	return nil
}

var noBreak = []byte("\u00A0")

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
