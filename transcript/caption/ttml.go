package caption

import (
	"encoding/xml"
	"io"
	"iter"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// ReadTTML reads a TTML file: see [TTML]. If there is an error, the File is empty. A
// file without cues is not an error.
func ReadTTML(r io.Reader) (File, error) { return readAll(TTML(r), nil) }

// TTML reads a file of the Timed Text Markup Language: W3C TTML1 and TTML2 with their
// profiles (IMSC, EBU-TT-D, SMPTE-TT, DFXP), as broadcasters and video sites write
// them, and the dialects for podcast transcripts and song lyrics.
//
// The sequence has the cues in the order of the file and holds one cue at a time. It
// holds more only if the nested times of the file are ambiguous: see below. The
// sequence reads r during the loop, so the caller can range over it only once. If the
// loop ends early, the rest of r stays unread. The sequence never closes r. An error is
// the last pair of the sequence: a [*FormatError] if the root element is not tt,
// [ErrTooLarge] after a tag, a comment or a cue's text of 1 MiB or more, [ErrTooDeep],
// [io.ErrUnexpectedEOF] if the file ends before its root element does, an error of r,
// and a [*LostError] if cues could not be read. If another tag or text is not
// well-formed, only that tag or text is lost.
//
// Each p element becomes one segment:
//
//   - Text is what a player shows: without metadata, ruby annotations, translations and
//     transliterations of lyrics (role="x-translation", "x-roman"), and what display,
//     visibility or opacity hide (as attributes, through styles or the region, unless
//     an animation shows it later); one space for a run of white space (no-break spaces
//     included), a "\n" for each br and, where xml:space is "preserve", for each line
//     break. White space between the parts of a ruby annotation is removed. A line
//     without text is left out, and so is a cue without text. Entities that the file
//     defines stay undecoded; those of HTML are decoded. Elements of other namespaces
//     are left out.
//   - Text that a player never shows by the standard is reported as lost: text in a p
//     that begins after the end of its parent, in an element with another region than
//     its parent, or directly in a timeContainer="seq", where text has no time.
//   - TTML inserts a space between two spans if one ends before the next begins, and
//     between spans that are marked as words or sentences (unit="word"). But if other
//     timed spans of the cue have white space between them, or if the file has lyrics
//     (timing="Word"), spans without white space between them are parts of one word.
//     TTML inserts no space in scripts without spaces.
//   - Start and Duration come from begin, end and dur, in seconds to the millisecond.
//     They are cut to the times of the enclosing elements, and follow one another in
//     elements with timeContainer="seq". By the standard, a nested time counts from the
//     start of the enclosing element, but some files count all times from the start of
//     the media. TTML reads the whole file in the second way if a time lies outside of
//     the enclosing element when read by the standard, and inside of it when read in
//     the second way. As long as both readings are possible, TTML holds cues back, up
//     to a thousand. After that, it reads the times from the start of the media if
//     elements begin at exactly the time of their parent (one element at a fraction of
//     a second, or two elements), and otherwise by the standard. A p without a begin or
//     an end has the time of its timed spans if all of its text is in such spans, else
//     the time of the enclosing elements. Without any end, the p lasts until the next
//     cue starts. A cue that ends before its start has the duration 0. A cue with an
//     unreadable time is lost. On any other element, an unreadable time is ignored.
//   - Speaker is the name of the agent (ttm:agent) of the whole text. If the file
//     does not declare the agent, Speaker is the agent's identifier.
//   - Words are present if the text has timed spans. They are the words of Text in
//     order, and are also split at the boundaries of such spans. Each lasts from the
//     boundary before it to the boundary after it. A time outside the cue, or earlier
//     than the previous one, is moved to the nearest valid time.
func TTML(r io.Reader) iter.Seq2[transcript.Segment, error] {
	return func(yield func(transcript.Segment, error) bool) {
		f := ttml{markup: newMarkup(r, FormatTTML)}
		if err := f.begin(); err != nil {
			yield(transcript.Segment{}, err)
			return
		}
		if walk(f.next, yield) {
			f.markup.lost.report(FormatTTML, yield)
		}
	}
}

// ttml is a file in reading.
type ttml struct {
	markup *markup
	clock  ttmlClock
	head   ttmlHead
	body   *ttmlBody
	nested nestedTimes
	space  string // the namespace of the root element
}

// begin reads up to the root element.
func (f *ttml) begin() error {
	if err := f.markup.root("tt"); err != nil {
		return err
	}
	attr := f.markup.attr
	f.space = declared(attr, f.markup.prefix)
	param := func(name string) string {
		for _, a := range attr {
			if a.Name.Local == name {
				return a.Value
			}
		}
		return ""
	}
	f.clock = newTTMLClock(param)
	f.body = &ttmlBody{lyrics: param("timing") == "Word", levels: []level{{end: forever}}}
	return f.start("tt", attr)
}

// next collects the next cue into s.
func (f *ttml) next(s *transcript.Segment) (open bool, err error) {
	for s.Text == "" {
		if held, ok := f.nested.take(); ok {
			*s = held.Segment
			return held.open, nil
		}
		t, err := f.markup.next()
		if err != nil {
			if f.nested.undecided() { // the error comes again
				f.settle(f.nested.likely())
				continue
			}
			return false, err
		}
		switch t {
		case startTag:
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

// start opens an element.
func (f *ttml) start(name string, attr []xml.Attr) error {
	own := f.attributes(name, attr)
	f.compare(&own)
	l := f.body.start(name, &own, &f.head)
	if f.nested.other != nil {
		f.nested.other.start(name, &own, &f.head)
	}
	if l.hidden && !own.foreign {
		return f.head.start(name, &own)
	}
	return nil
}

// attributes are those that count. Empty is not there.
type attributes struct {
	begin, end, dur moment
	container       string // timeContainer
	space           string
	style, region   string
	looks           look
	agent           string
	id, kind, unit  string // xml:id, type and unit
	spaces          *namespaces
	foreign         bool // the element is of another vocabulary
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
		case "style":
			own.style = a.Value
		case "region":
			own.region = a.Value
		case "agent":
			own.agent = a.Value
		case "id":
			own.id = a.Value
		case "type":
			own.kind = a.Value
		case "unit":
			own.unit = a.Value
		default:
			own.looks.set(a.Name.Local, a.Value)
		}
	}
	own.spaces = f.body.top().spaces.with(attr, f.space)
	own.foreign = own.spaces.hides(f.markup.prefix)
	if !isTimed(name) || own.foreign {
		own.begin, own.end, own.dur = moment{}, moment{}, moment{}
	}
	return own
}

func (f *ttml) time(s string) moment {
	ms, ok := f.clock.time(s)
	return moment{ms: ms, ok: ok, broken: !ok}
}

// end closes an element, and fills s when that was a cue that need not be held
// back.
func (f *ttml) end(s *transcript.Segment) (open bool, err error) {
	name := f.markup.name
	if err := f.head.end(name); err != nil {
		return false, err
	}
	open = f.body.end(name, s)
	if f.body.unread != "" {
		f.markup.lose(1, f.body.unread)
	}
	if f.nested.other == nil {
		return open, nil
	}
	var other transcript.Segment
	f.nested.hold(s, open, &other, f.nested.other.end(name, &other))
	*s = transcript.Segment{}
	if f.nested.full() {
		f.settle(f.nested.likely())
	}
	return false, nil
}

// chars takes a run of text.
func (f *ttml) chars(b []byte) error {
	if f.head.naming {
		return f.head.chars(b)
	}
	if f.nested.other != nil {
		if err := f.nested.other.chars(append([]byte(nil), b...)); err != nil { // the reader changes its input
			return err
		}
	}
	return f.body.chars(b)
}
