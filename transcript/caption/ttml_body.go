package caption

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// ttmlBody is what is open of a TTML file, and the cue that is being read.
type ttmlBody struct {
	absolute bool    // nested times are on the clock of the media
	lyrics   bool    // spans without white space between them are parts of a word
	levels   []level // the open elements, the innermost last

	text cueText
	cue  int  // how many levels there are with the open p; 0 outside
	lost bool // its times cannot be read

	unseen string // why text of the open p is never shown
	unread string // why the element that has just ended loses text with it

	spoken ttmlSpan // the last timed span that has ended
	apart  bool     // a space goes before the next text
	joints []int    // offsets of the text where spans meet that are not seen together
	spaced bool     // white space parts timed spans
}

// ttmlSpan is a timed span that has ended.
type ttmlSpan struct {
	to     int   // where its text ends
	end    int64 // when it was gone; forever when it stayed
	phrase bool  // it was more than part of a word
}

func (f *ttmlBody) top() *level { return &f.levels[len(f.levels)-1] }

// clone returns a copy that shares nothing that is written to.
func (f *ttmlBody) clone() *ttmlBody {
	c := *f
	c.levels, c.joints = slices.Clone(f.levels), slices.Clone(f.joints)
	c.text = cueText{
		out: bytes.Clone(f.text.out), gap: f.text.gap, marks: slices.Clone(f.text.marks),
		speaker: f.text.speaker, hasSpeaker: f.text.hasSpeaker, voices: f.text.voices,
	}
	return &c
}

// start opens an element.
func (f *ttmlBody) start(name string, own *attributes, head *ttmlHead) *level {
	if name == "p" && !own.foreign && f.cue == 0 && !f.top().hidden {
		f.text.reset()
		f.joints, f.spaced, f.apart, f.spoken = f.joints[:0], false, false, ttmlSpan{}
		f.cue, f.lost, f.unseen = len(f.levels)+1, false, ""
	}
	if isAnimation(name) {
		f.top().look.shownBy(&own.looks)
	}
	l := f.top().child(name, own, f.absolute)
	l.look = f.top().look.within(head.look(own))
	l.hidden = l.hidden || l.look.ruby == rubyAnnotation
	if own.agent != "" {
		l.voice = head.voice(own.agent)
	}
	l.from = len(f.text.out)
	f.levels = append(f.levels, l)
	if f.cue > 0 && !l.hidden {
		f.inCue(name, own)
	}
	return f.top()
}

// inCue records an element that was opened in a cue, or is one.
func (f *ttmlBody) inCue(name string, own *attributes) {
	switch {
	case f.cue == len(f.levels):
		f.lost = own.begin.broken || own.end.broken || own.dur.broken
		return
	case name == "br":
		f.text.space('\n')
		return
	case own.unit != "":
		f.apart = true
	}
	if l := f.top(); l.timed && l.look.shows() && l.unseen == "" {
		f.meet(l.begin)
		f.text.mark(l.begin, 0)
	}
}

// meet looks at what is between the last timed span and the one that begins now.
func (f *ttmlBody) meet(begin int64) {
	at := len(f.text.out)
	switch {
	case f.apart || at == 0 || f.spoken.to == 0:
	case f.text.gap != 0:
		f.spaced = f.spaced || f.text.gap == ' '
	case f.spoken.to == at && f.spoken.end <= begin:
		if f.spoken.phrase {
			f.apart = true
		} else if len(f.joints) == 0 || f.joints[len(f.joints)-1] < at { // there may be spans without text between them
			f.joints = append(f.joints, at)
		}
	}
}

// end closes an element, and fills s when that was a cue.
func (f *ttmlBody) end(name string, s *transcript.Segment) (open bool) {
	l := *f.top()
	f.levels, f.unread = f.levels[:len(f.levels)-1], ""
	if isTimed(name) {
		f.top().follow(&l)
	}
	switch {
	case f.cue == len(f.levels)+1:
		f.cue = 0
		return f.segment(s, &l)
	case f.cue == 0 || l.hidden || !l.look.shows() || l.unseen != "":
		return false
	case l.unit:
		f.apart = true
	}
	if at := len(f.text.out); l.timed && at > l.from {
		phrase := bytes.ContainsAny(bytes.TrimSpace(f.text.out[l.from:at]), " \n")
		f.spoken = ttmlSpan{to: at, end: forever, phrase: phrase}
		if l.ends {
			f.spoken.end = max(l.begin, l.end)
		}
	}
	if l.ends {
		f.text.mark(max(l.begin, l.end), 0)
	}
	return false
}

// chars takes a run of text, which it may change.
func (f *ttmlBody) chars(b []byte) error {
	l := f.top()
	switch {
	case f.cue == 0 || l.hidden || !l.look.shows():
		return nil
	case (l.unseen != "" || l.sequence) && !isBlank(b):
		f.unseen = cmp.Or(l.unseen, "text stands directly in a sequence, which gives it no time")
		return nil
	case l.look.ruby == rubyFrame && isBlank(b):
		return nil
	case !l.preserve:
		for i, c := range b {
			if c == '\n' {
				b[i] = ' '
			}
		}
	}
	if f.apart && !isBlank(b) {
		f.apart = false
		if f.text.gap == 0 && isParted(f.text.out, b) {
			f.text.space(' ')
		}
	}
	return f.text.addText(b, l.voice)
}

// segment fills s with the cue of the p that was l.
func (f *ttmlBody) segment(s *transcript.Segment, l *level) (open bool) {
	if f.lost && len(f.text.out) > 0 {
		f.unread = "the times of a p cannot be read"
	}
	if f.lost {
		return false
	}
	f.unread = f.unseen
	if !f.spaced && !f.lyrics {
		f.text.part(f.joints)
	}
	start, end := l.begin, l.end
	if marks := f.text.marks; len(marks) > 0 {
		first, last := marks[0].ms, marks[0].ms
		for _, m := range marks {
			first, last = min(first, m.ms), max(last, m.ms)
		}
		if !l.begins && marks[0].at == 0 {
			start = first
		}
		if !l.ends && marks[len(marks)-1].at == len(f.text.out) {
			end = min(end, last)
		}
		if end == forever {
			open, end = true, last
		}
	}
	if end == forever {
		open, end = true, start
	}
	f.text.fill(s, start, end)
	return open && s.Text != ""
}

// part puts a space at each of the joints, where the script has spaces and there is
// none.
func (t *cueText) part(joints []int) {
	if len(joints) == 0 {
		return
	}
	out := make([]byte, 0, len(t.out)+len(joints))
	from, marks := 0, t.marks // what is not in out yet
	for _, at := range joints {
		if at == len(t.out) || isSpace(t.out[at]) || !isParted(t.out[:at], t.out[at:]) {
			continue
		}
		for len(marks) > 0 && marks[0].at <= at {
			marks[0].at += len(out) - from
			marks = marks[1:]
		}
		out = append(append(out, t.out[from:at]...), ' ')
		from = at
	}
	for i := range marks {
		marks[i].at += len(out) - from
	}
	t.out = append(out, t.out[from:]...)
}

// isParted reports whether a space belongs between the last word of before and the
// first word of after.
func isParted(before, after []byte) bool {
	last, _ := utf8.DecodeLastRune(before)
	next, _ := utf8.DecodeRune(bytes.TrimLeftFunc(after, unicode.IsSpace))
	return len(before) > 0 && !strings.ContainsRune(".,;:!?%)]}’”»…", next) && (!isUnspaced(last) || !isUnspaced(next))
}

// isUnspaced reports the characters of scripts that are written without spaces,
// with their punctuation.
func isUnspaced(r rune) bool {
	return r >= 0x0E00 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Yi,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan) ||
		0x3000 <= r && r <= 0x303F || 0xFF00 <= r && r <= 0xFF0F || r == 'ー')
}
