package caption

import (
	"encoding/xml"
	"io"
	"iter"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// ReadTTML reads a TTML file and returns its cues sorted by start; cues that start
// together keep the order of the file. [TTML] says what a cue becomes and which
// errors there are; with an error there are no cues. A file without a cue is no
// error.
func ReadTTML(r io.Reader) ([]transcript.Segment, error) { return readAll(TTML(r)) }

// TTML reads a file of the Timed Text Markup Language (W3C TTML1 and TTML2, with
// their profiles: IMSC, EBU-TT-D, SMPTE-TT, DFXP), as broadcasters and video sites
// write it.
//
// The sequence has the cues in the order of the file and holds one at a time. It
// reads r as it is walked, so it can be walked once; leaving it early leaves the
// rest unread, and r is never closed. An error comes once, as the last pair: a
// [*FormatError] when the root element is not tt, [ErrTooLarge] after a tag, a
// comment or a cue's text of 1 MiB or more, [ErrTooDeep],
// [io.ErrUnexpectedEOF] when the file ends before its root element does, and
// what r failed with. What is not well-formed otherwise loses the tag, or the run
// of text, that it stands in.
//
// Each p element becomes one segment:
//
//   - Text is what a player shows: without metadata and ruby annotations, one space
//     for a run of white space (no-break spaces included), a "\n" for each br and,
//     where xml:space is "preserve", for each line break. A line without text is
//     left out, and so is a cue without text. Entities that the file defines stay
//     as they stand; those of HTML are decoded.
//   - Start and Duration come from begin, end and dur, in seconds to the
//     millisecond, within the times of the elements around, one after another in
//     those with timeContainer="seq". A p without a begin or an end has that of its
//     timed spans when all of its text stands in them, else that of the elements
//     around. When there is no end at all, it lasts until the next cue starts. A
//     cue that ends before it starts has the duration 0. A time that cannot be read
//     loses its cue; on any other element it is as if not there.
//   - Speaker is the name of the agent (ttm:agent) that all of the text belongs to.
//   - Words are there when the text has timed spans. They are the words of Text in
//     order, cut also at the ends of such spans; each has the time from the end
//     before it to the one after it. Times that leave the cue or run backwards are
//     moved to the nearest that does not.
func TTML(r io.Reader) iter.Seq2[transcript.Segment, error] {
	return func(yield func(transcript.Segment, error) bool) {
		f := ttml{markup: newMarkup(r, FormatTTML)}
		if err := f.begin(); err != nil {
			yield(transcript.Segment{}, err)
			return
		}
		walk(f.next, yield)
	}
}

// ttml is a file in reading.
type ttml struct {
	markup *markup
	clock  ttmlClock
	head   ttmlHead
	levels []level // the open elements, the innermost last

	text cueText
	cue  int  // how many levels there are with the open p; 0 outside
	lost bool // its times cannot be read
}

// begin reads up to the root element.
func (f *ttml) begin() error {
	if err := f.markup.root("tt"); err != nil {
		return err
	}
	attr := f.markup.attr
	f.clock = newTTMLClock(func(name string) string {
		for _, a := range attr {
			if a.Name.Local == name {
				return a.Value
			}
		}
		return ""
	})
	f.levels = []level{{end: forever}}
	return f.start("tt", attr)
}

// next collects the next cue into s.
func (f *ttml) next(s *transcript.Segment) (open bool, err error) {
	for s.Text == "" {
		t, err := f.markup.next()
		if err != nil {
			return false, err
		}
		switch t {
		case startTag:
			if f.markup.name == "p" && f.cue == 0 && !f.top().hidden {
				f.text.reset()
				f.cue, f.lost = len(f.levels)+1, false
			}
			err = f.start(f.markup.name, f.markup.attr)
		case endTag:
			open, err = f.end(s)
		case charData:
			err = f.chars(f.markup.text)
		}
		if err != nil {
			return false, f.markup.failed(err)
		}
	}
	return open, nil
}

func (f *ttml) top() *level { return &f.levels[len(f.levels)-1] }

// start opens an element.
func (f *ttml) start(name string, attr []xml.Attr) error {
	own := f.attributes(name, attr)
	l := f.top().child(name, &own)
	l.hidden = l.hidden || f.head.hides(own.style)
	if own.agent != "" {
		l.voice = f.head.voice(own.agent)
	}
	f.levels = append(f.levels, l)
	switch {
	case f.cue > 0 && !l.hidden:
		f.inCue(name, &own)
	case name == "style" && isAnnotation(own.ruby):
		return f.head.hide(own.id)
	case name == "agent":
		f.head.agent = own.id
	case name == "name":
		f.head.beginName(own.kind == "full")
	}
	return nil
}

// inCue takes note of an element that was opened in a cue, or is one.
func (f *ttml) inCue(name string, own *attributes) {
	switch {
	case f.cue == len(f.levels):
		f.lost = own.begin.broken || own.end.broken || own.dur.broken
	case name == "br":
		f.text.space('\n')
	case own.begin.ok || own.end.ok || own.dur.ok:
		f.text.mark(f.top().begin, 0)
	}
}

// attributes are those that count. Empty is not there.
type attributes struct {
	begin, end, dur moment
	container       string // timeContainer
	space           string
	ruby, style     string
	agent           string
	id, kind        string // xml:id and type
}

func (f *ttml) attributes(name string, attr []xml.Attr) (own attributes) {
	for _, a := range attr {
		switch a.Name.Local {
		case "begin":
			own.begin = f.time(a.Value)
		case "end":
			own.end = f.time(a.Value)
		case "dur":
			own.dur = f.time(a.Value)
		case "timeContainer":
			own.container = a.Value
		case "space":
			own.space = a.Value
		case "ruby":
			own.ruby = a.Value
		case "style":
			own.style = a.Value
		case "agent":
			own.agent = a.Value
		case "id":
			own.id = a.Value
		case "type":
			own.kind = a.Value
		}
	}
	if !isTimed(name) {
		own.begin, own.end, own.dur = moment{}, moment{}, moment{}
	}
	return own
}

func (f *ttml) time(s string) moment {
	ms, ok := f.clock.time(s)
	return moment{ms: ms, ok: ok, broken: !ok}
}

// end closes an element, and fills s when that was a cue.
func (f *ttml) end(s *transcript.Segment) (open bool, err error) {
	l := *f.top()
	f.levels = f.levels[:len(f.levels)-1]
	name := f.markup.name
	if isTimed(name) {
		f.top().follow(&l)
	}
	switch {
	case name == "agent":
		f.head.agent = ""
	case name == "name":
		return false, f.head.endName()
	case f.cue == len(f.levels)+1:
		f.cue = 0
		return f.segment(s, &l), nil
	case f.cue > 0 && l.ends && !l.hidden:
		f.text.mark(max(l.begin, l.end), 0)
	}
	return false, nil
}

// chars takes a run of text.
func (f *ttml) chars(b []byte) error {
	l := f.top()
	switch {
	case f.head.naming:
		return f.head.chars(b)
	case f.cue == 0 || l.hidden:
		return nil
	case !l.preserve:
		for i, c := range b {
			if c == '\n' {
				b[i] = ' '
			}
		}
	}
	return f.text.say(b, l.voice)
}

// segment fills s with the cue of the p that was l.
func (f *ttml) segment(s *transcript.Segment, l *level) (open bool) {
	if f.lost {
		return false
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
