package caption

import (
	"encoding/xml"
	"io"
	"iter"
	"slices"
	"strconv"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// ReadSRV3 reads an srv3 file: see [SRV3]. If there is an error, the File is empty. A
// file without cues is not an error.
func ReadSRV3(r io.Reader) (File, error) {
	l := new(looks)
	return readAll(walkSRV3(r, l), l)
}

// SRV3 reads the third of the XML formats of a large video site: a timedtext element
// with p elements, and s elements for the words of automatic captions. (SRV3 also reads
// the second format, which has text elements instead.)
//
// The sequence has the cues in the order of the file and holds one cue at a time. The
// sequence reads r during the loop, so the caller can range over it only once. If the
// loop ends early, the rest of r stays unread. The sequence never closes r. The errors
// are those of [TTML].
//
// Each p element becomes one segment:
//
//   - Text is decoded once. White space is that of [TTML] with xml:space="preserve".
//     Automatic captions have cues with only a line break, which SRV3 leaves out. It
//     also leaves out ruby annotations, and the parentheses around annotations that
//     cannot be shown above the text. It ignores windows, positions and other pens.
//   - Start and Duration are its t and d, which are milliseconds. Without d, a cue
//     lasts until the next one starts. A cue with a time that cannot be read is lost.
//   - Words are present if an s element has an offset (t) or a confidence (ac). They
//     are the words of Text in order, and are also split at the boundaries of such
//     elements. Each lasts from the offset before it to the next offset or the end of
//     the cue. A time outside the cue, or earlier than the previous one, is moved to
//     the nearest valid time. Confidence is present if it is more than 0.
func SRV3(r io.Reader) iter.Seq2[transcript.Segment, error] { return walkSRV3(r, nil) }

func walkSRV3(r io.Reader, l *looks) iter.Seq2[transcript.Segment, error] {
	return func(yield func(transcript.Segment, error) bool) {
		f := srv3{markup: newMarkup(r, FormatSRV3), looks: l}
		if err := f.markup.root("timedtext"); err != nil {
			yield(transcript.Segment{}, err)
			return
		}
		if walk(f.next, yield) {
			f.markup.lost.report(FormatSRV3, yield)
		}
	}
}

// srv3 is a file in reading.
type srv3 struct {
	markup *markup
	cue    timedCue
	looks  *looks
	inside bool            // a p element
	hidden bool            // in an element that is written with a pen of annotations
	pens   map[string]bool // which are of annotations
}

// next collects the next cue into s.
func (f *srv3) next(s *transcript.Segment) (open bool, err error) {
	for s.Text == "" {
		t, err := f.markup.next()
		if err != nil {
			return false, err
		}
		isCue := f.markup.name == "p" || f.markup.name == "text"
		switch {
		case t == startTag && isCue:
			f.begin()
		case t == endTag && isCue && f.inside:
			f.inside = false
			if f.cue.broken() {
				f.markup.lose(len(f.cue.text.out), "the times of a "+f.markup.name+" cannot be read")
			} else {
				open = f.cue.end(s)
			}
			f.looks.end(s.Text != "")
		case t == startTag && f.markup.name == "pen":
			f.pen()
		case !f.inside:
		case f.markup.name == "s" && t != charData:
			f.hidden = t == startTag && f.pens[attribute(f.markup.attr, "p")]
			if t == startTag && !f.hidden {
				f.word()
			}
			f.look("t", "ac")
		case f.hidden:
		case t == startTag && f.markup.name == "br":
			f.cue.text.space('\n')
		case t == charData:
			if err := f.cue.text.addText(f.markup.text, nil); err != nil {
				return false, f.markup.failed(err)
			}
		}
	}
	return open, nil
}

func (f *srv3) begin() {
	f.inside, f.hidden = true, false
	f.cue.begin(milliseconds(f.markup.attr, "t"), milliseconds(f.markup.attr, "d"))
	f.looks.end(false)
	f.look("t", "d")
}

// look adds how an element is drawn, in pens and windows: its attributes without the times.
func (f *srv3) look(times ...string) {
	if f.looks == nil {
		return
	}
	f.looks.number(uint64(len(f.cue.text.out)))
	for _, a := range f.markup.attr {
		if !slices.Contains(times, a.Name.Local) {
			f.looks.part([]byte(a.Name.Local))
			f.looks.part([]byte(a.Value))
		}
	}
}

// maxPens bounds how many pens of a file are kept.
const maxPens = 1000

// pen keeps a pen of ruby annotations, or of what stands around them. Number 1 is
// that of the base text.
func (f *srv3) pen() {
	id, part := attribute(f.markup.attr, "id"), attribute(f.markup.attr, "rb")
	if part == "" || part == "0" || part == "1" || len(f.pens) >= maxPens {
		return
	}
	if f.pens == nil {
		f.pens = make(map[string]bool)
	}
	f.pens[id] = true
}

// attribute returns the attribute called name, "" when there is none.
func attribute(attr []xml.Attr, name string) string {
	for _, a := range attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (f *srv3) word() {
	offset := milliseconds(f.markup.attr, "t")
	confidence, timed := 0, offset.ok
	for _, a := range f.markup.attr {
		if a.Name.Local == "ac" {
			confidence, _ = strconv.Atoi(a.Value) // what is no number tells nothing, as 0 does
			timed = !offset.broken
		}
	}
	if timed {
		f.cue.word(offset.ms, confidence)
	}
}

// milliseconds returns the attribute called name.
func milliseconds(attr []xml.Attr, name string) moment {
	for _, a := range attr {
		if a.Name.Local == name {
			return decimal(a.Value, 1)
		}
	}
	return moment{}
}

// timedCue is a cue with the offsets of its words.
type timedCue struct {
	text       cueText
	start, dur moment
}

func (c *timedCue) begin(start, dur moment) {
	c.text.reset()
	c.start, c.dur = start, dur
}

// word records that the text after it is spoken at offset milliseconds from the
// start, and how sure the recognizer was, from 0 to 255.
func (c *timedCue) word(offset int64, confidence int) {
	c.text.mark(min(c.start.ms+offset, maxTime), float64(min(max(confidence, 0), 255))/255)
}

// broken reports whether the times of the cue cannot be read.
func (c *timedCue) broken() bool { return !c.start.ok || c.dur.broken }

// end fills s with the cue, when it has text.
func (c *timedCue) end(s *transcript.Segment) (open bool) {
	end := c.start.ms + c.dur.ms
	if !c.dur.ok {
		for _, m := range c.text.marks {
			end = max(end, m.ms)
		}
	}
	c.text.fill(s, c.start.ms, min(end, maxTime))
	return !c.dur.ok && s.Text != ""
}
