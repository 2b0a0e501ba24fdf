package caption

import (
	"bytes"
	"io"
	"iter"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/internal/letters"
)

// ReadSRV1 reads an srv1 file: see [SRV1]. If there is an error, the File is empty. A
// file without cues is not an error.
func ReadSRV1(r io.Reader) (File, error) { return readAll(SRV1(r), nil) }

// SRV1 reads the first of the XML formats of a large video site: a transcript
// element with text elements.
//
// The sequence has the cues in the order of the file and holds one cue at a time. The
// sequence reads r during the loop, so the caller can range over it only once. If the
// loop ends early, the rest of r stays unread. The sequence never closes r. The errors
// are those of [TTML].
//
// Each text element becomes one segment:
//
//   - Text is HTML that was encoded again for XML: SRV1 decodes it, removes the tags,
//     and decodes it again. White space is that of [TTML] with xml:space="preserve".
//   - Start and Duration are the start and dur of the element, in seconds to the
//     millisecond. Without dur, a cue lasts until the next one starts. A cue with a
//     time that cannot be read is lost.
func SRV1(r io.Reader) iter.Seq2[transcript.Segment, error] {
	return func(yield func(transcript.Segment, error) bool) {
		f := srv1{markup: newMarkup(r, FormatSRV1)}
		if err := f.markup.root("transcript"); err != nil {
			yield(transcript.Segment{}, err)
			return
		}
		if walk(f.next, yield) {
			f.markup.lost.report(FormatSRV1, yield)
		}
	}
}

// srv1 is a file in reading.
type srv1 struct {
	markup     *markup
	text       cueText
	start, dur moment
	inside     bool // a text element
}

// next collects the next cue into s.
func (f *srv1) next(s *transcript.Segment) (open bool, err error) {
	for s.Text == "" {
		t, err := f.markup.next()
		if err != nil {
			return false, err
		}
		switch {
		case t == startTag && f.markup.name == "text":
			f.begin()
		case t == endTag && f.markup.name == "text":
			open, err = f.end(s)
		case t == startTag && f.markup.name == "br":
			err = f.chars([]byte("\n"))
		case t == charData:
			err = f.chars(f.markup.text)
		}
		if err != nil {
			return false, f.markup.failed(err)
		}
	}
	return open, nil
}

func (f *srv1) begin() {
	f.text.reset()
	f.inside, f.start, f.dur = true, moment{}, moment{}
	for _, a := range f.markup.attr {
		switch a.Name.Local {
		case "start":
			f.start = decimal(a.Value, 1000)
		case "dur":
			f.dur = decimal(a.Value, 1000)
		}
	}
}

// chars takes a run of text. It is parsed in one piece, for a tag may be in two.
func (f *srv1) chars(b []byte) error {
	if !f.inside {
		return nil
	}
	if len(f.text.raw)+len(b) >= maxBlock {
		return ErrTooLarge
	}
	f.text.raw = append(f.text.raw, b...)
	return nil
}

func (f *srv1) end(s *transcript.Segment) (open bool, err error) {
	inside := f.inside
	f.inside = false
	if !inside {
		return false, nil
	}
	if err := f.text.addHTML(f.text.raw); err != nil {
		return false, err
	}
	if !f.start.ok || f.dur.broken {
		f.markup.lose(len(f.text.out), "the times of a text cannot be read")
		return false, nil
	}
	f.text.fill(s, f.start.ms, min(f.start.ms+f.dur.ms, maxTime))
	return !f.dur.ok && s.Text != "", nil
}

// addHTML adds text with tags and character references. As in HTML, "<" is a tag
// only before a letter or a slash, and only when there is a ">"; a br is a line
// break.
func (t *cueText) addHTML(b []byte) error {
	for {
		from, to := nextTag(b)
		if err := t.addText(letters.DecodeReferences(b[:from]), nil); err != nil || from == len(b) {
			return err
		}
		if name := bytes.ToLower(b[from+1 : to]); bytes.HasPrefix(name, []byte("br")) && (len(name) == 2 || !isLetter(name[2])) {
			t.space('\n')
		}
		b = b[to+1:]
	}
}

// nextTag returns where the first tag in b has its "<" and its ">", or the length
// of b.
func nextTag(b []byte) (from, to int) {
	for {
		i := bytes.IndexByte(b[from:], '<')
		if i < 0 {
			return len(b), len(b)
		}
		from += i
		if from+1 < len(b) && (isLetter(b[from+1]) || b[from+1] == '/') {
			break
		}
		from++
	}
	i := bytes.IndexByte(b[from:], '>')
	if i < 0 {
		return len(b), len(b)
	}
	return from, from + i
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// decimal parses a number of the unit that has ms milliseconds.
func decimal(s string, ms float64) moment {
	v, rest, _ := whole(s) // ".5" is a number, too
	part, rest, ok := fraction(rest)
	if !ok || s == "" || rest != "" {
		return moment{broken: true}
	}
	return moment{ms: millis((v + part) * ms / 1000), ok: true}
}
