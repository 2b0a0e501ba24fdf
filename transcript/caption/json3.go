package caption

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/internal/letters"
)

// ReadJSON3 reads a json3 file: see [JSON3]. If there is an error, the File is empty. A
// file without cues is not an error.
func ReadJSON3(r io.Reader) (File, error) {
	l := new(looks)
	return readAll(walkJSON3(r, l), l)
}

// JSON3 reads the JSON format of a large video site: an object with a list of
// events, whose segments are the words of automatic captions.
//
// The sequence has the cues in the order of the file and holds one cue at a time. The
// sequence reads r during the loop, so the caller can range over it only once. If the
// loop ends early, the rest of r stays unread. The sequence never closes r. An error is
// the last pair of the sequence: a [*FormatError] when the input is no JSON object, or
// an object with neither events nor the mark of the format, [ErrTooLarge] after an
// event or another value of 1 MiB or more, [ErrTooDeep], [io.ErrUnexpectedEOF] when the
// file ends before the object does, a [*json.SyntaxError], an error of r, and a
// [*LostError] when events could not be read.
//
// Each event with text becomes one segment. Text, Words and Confidence work as in
// [SRV3], with tOffsetMs for t and acAsrConf for ac. Start and Duration are tStartMs
// and dDurationMs. Numbers may be in strings. If an event or a part of an event does
// not have the shape of the format, only that event or part is lost.
func JSON3(r io.Reader) iter.Seq2[transcript.Segment, error] { return walkJSON3(r, nil) }

func walkJSON3(r io.Reader, l *looks) iter.Seq2[transcript.Segment, error] {
	return func(yield func(transcript.Segment, error) bool) {
		f := newJSON3(r)
		f.looks = l
		if err := f.begin(); err != nil {
			if err != io.EOF {
				yield(transcript.Segment{}, err)
			}
			return
		}
		if walk(f.next, yield) {
			f.lost.report(FormatJSON3, yield)
		}
	}
}

// json3 is a file in reading.
type json3 struct {
	head  string // how the file begins
	src   io.Reader
	read  int64 // bytes of src
	dec   *json.Decoder
	cue   timedCue
	looks *looks

	format Format
	lists  []string // how the list of the cues may be called
	mark   string   // the name that a file without such a list has
	lost   losses
}

// json3Event is what is of use of an event.
type json3Event struct {
	Start json3Number `json:"tStartMs"`
	Dur   json3Number `json:"dDurationMs"`
	Pen   json3Number `json:"pPenId"`
	Place json3Number `json:"wpWinPosId"`
	Segs  []struct {
		Text   string      `json:"utf8"`
		Offset json3Number `json:"tOffsetMs"`
		Sure   json3Number `json:"acAsrConf"`
		Pen    json3Number `json:"pPenId"`
	} `json:"segs"`
}

// json3Number is a number or a string with a number. Any other value makes the number
// invalid, but not the object around it.
type json3Number struct{ moment }

// UnmarshalJSON implements [json.Unmarshaler].
func (n *json3Number) UnmarshalJSON(b []byte) error {
	if s := string(b); s != "null" {
		n.moment = decimal(strings.Trim(s, `"`), 1)
	}
	return nil
}

func newJSON3(r io.Reader) *json3 {
	head, src := decoded(r)
	f := &json3{head: string(head), src: src, format: FormatJSON3, lists: []string{"events"}, mark: "wireMagic"}
	f.dec = json.NewDecoder(f)
	f.dec.UseNumber() // one too large for a float is no error
	return f
}

// Read hands on what the file has, as long as the decoder does not hold a value of
// maxBlock already. It reads as much as the decoder holds at least, for which p has room:
// the decoder scans the white space that it holds again after each Read.
func (f *json3) Read(p []byte) (int, error) {
	held := f.read - f.dec.InputOffset()
	if held >= maxBlock {
		return 0, ErrTooLarge
	}
	p = p[:min(int64(len(p)), maxBlock-held)]
	n, err := io.ReadAtLeast(f.src, p, min(max(int(held), 1), len(p)))
	f.read += int64(n)
	if err == io.ErrUnexpectedEOF { // the error of src comes again
		err = nil
	}
	return n, err
}

// begin reads up to the list of events. The error is io.EOF when there is none in a
// file of the format.
func (f *json3) begin() error {
	t, err := f.dec.Token()
	if err == io.EOF || err == nil && t != json.Delim('{') {
		return f.foreign()
	}
	if err != nil {
		return f.unless(err)
	}
	marked := false
	for f.dec.More() {
		name, err := f.dec.Token()
		if err != nil {
			return f.unless(err)
		}
		if called, _ := name.(string); !slices.Contains(f.lists, called) {
			marked = marked || called != "" && called == f.mark
			if err := f.skip(0); err != nil {
				return f.unless(err)
			}
			continue
		}
		switch t, err := f.dec.Token(); {
		case err != nil:
			return f.unless(err)
		case t == json.Delim('['):
			return nil
		case t != nil:
			return f.foreign()
		}
		marked = true
	}
	if _, err := f.dec.Token(); err != nil {
		return f.unless(err)
	}
	if !marked {
		return f.foreign()
	}
	return io.EOF
}

func (f *json3) foreign() error { return &FormatError{Format: f.format, Head: f.head} }

// unless returns err, but when there is no JSON that the input is no file of the
// format.
func (f *json3) unless(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return f.foreign()
	}
	return f.failed(err)
}

// next collects the next cue into s.
func (f *json3) next(s *transcript.Segment) (open bool, err error) {
	for f.dec.More() {
		var e json3Event
		err := f.dec.Decode(&e)
		var shape *json.UnmarshalTypeError
		if err != nil && !errors.As(err, &shape) {
			return false, f.failed(err)
		}
		if err != nil {
			f.lost.add("near byte %d: an event has another shape than the format's", f.dec.InputOffset())
		}
		open, err := f.event(s, &e)
		if s.Text != "" || err != nil {
			return open, err
		}
	}
	return false, f.end()
}

// event fills s with the cue that e is, if it is one.
func (f *json3) event(s *transcript.Segment, e *json3Event) (open bool, err error) {
	start := e.Start.moment
	start.ok = !start.broken // a zero may be left out
	f.cue.begin(start, e.Dur.moment)
	f.looks.number(uint64(e.Pen.ms))
	f.looks.number(uint64(e.Place.ms))
	for _, seg := range e.Segs {
		if seg.Offset.ok || !seg.Offset.broken && seg.Sure.ok {
			f.cue.word(seg.Offset.ms, int(seg.Sure.ms))
		}
		f.looks.number(uint64(seg.Pen.ms))
		f.looks.number(uint64(len(f.cue.text.out)))
		if err := f.cue.text.addText(letters.ToText([]byte(seg.Text)), nil); err != nil {
			return false, f.failed(err)
		}
	}
	if f.cue.broken() {
		if len(f.cue.text.out) > 0 {
			f.lost.add("near byte %d: the times of an event cannot be read", f.dec.InputOffset())
		}
		f.looks.end(false)
		return false, nil
	}
	open = f.cue.end(s)
	f.looks.end(s.Text != "")
	return open, nil
}

// end reads from the end of the list to that of the object.
func (f *json3) end() error {
	if err := f.skip(2); err != nil {
		return f.failed(err)
	}
	return io.EOF
}

// skip reads up to the end of a value, which is depth values further out, without
// holding it.
func (f *json3) skip(depth int) error {
	for {
		t, err := f.dec.Token()
		if err != nil {
			return err
		}
		if depth, err = nested(depth, t); depth == 0 || err != nil {
			return err
		}
	}
}

// nested returns how deep the token after t stands.
func nested(depth int, t json.Token) (int, error) {
	switch t {
	case json.Delim('{'), json.Delim('['):
		depth++
	case json.Delim('}'), json.Delim(']'):
		depth--
	}
	if depth > maxDepth {
		return depth, ErrTooDeep
	}
	return depth, nil
}

// failed says where reading stopped. A decoder calls the end of the input io.EOF
// also between the values of a list.
func (f *json3) failed(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("caption: %s after byte %d: %w", f.format, f.dec.InputOffset(), err)
}
