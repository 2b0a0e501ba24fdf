package caption

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// ReadASS reads a file of SubStation Alpha: see [ASS]. If there is an error, the File is
// empty. A file without cues is not an error.
func ReadASS(r io.Reader, o ...Option) (File, error) {
	f := newASS(r, o)
	f.looks = new(looks)
	if err := f.begin(); err != nil && err != io.EOF {
		return File{}, err
	}
	segments, err := f.lines.collect(f.block)
	if err != nil {
		return File{}, err
	}
	return file(segments, f.looks, f.losses())
}

// ASS reads a file of Advanced SubStation Alpha (ASS) or of its predecessor SubStation
// Alpha (SSA).
//
// The sequence has the cues in the order of the file and holds one cue at a time. The
// sequence reads r during the loop, so the caller can range over it only once. If the
// loop ends early, the rest of r stays unread. The sequence never closes r. An error is
// the last pair of the sequence: a [*FormatError] when the input has neither a section
// of the format nor an event, [ErrTooLarge] after a line of 1 MiB or more, an error of
// r, and a [*LostError] when events could not be read, or when the encoding of a cue's
// text cannot be determined.
//
// Each Dialogue event becomes one segment. Comments and other events are no cues.
//
//   - The Format line names the columns of the events. Without one, they are those of
//     the program. An event is lost if a column is missing, its times cannot be read, or
//     its layer or a margin is not a number. A line of the events that is no event is
//     lost.
//   - Text is what a player shows: without override blocks, which have the karaoke, and
//     without drawings; "\n" for \N, a space for \h and, unless the WrapStyle is 2, for
//     \n. White space and the encodings of the file are those of [SRT]. A cue without
//     text is left out.
//   - Speaker is the Name of the event.
func ASS(r io.Reader, o ...Option) iter.Seq2[transcript.Segment, error] {
	return func(yield func(transcript.Segment, error) bool) {
		f := newASS(r, o)
		if yieldBlocks(f.begin(), f.block, yield) {
			report(f.losses(), yield)
		}
	}
}

// ass is a file in reading.
type ass struct {
	encoded
	text    cueText
	columns columns
	events  bool // the section has events
	breaks  bool // \n is a line break
	looks   *looks
	doubts  *doubts
	lost    losses
}

func newASS(r io.Reader, o []Option) *ass {
	f := &ass{encoded: newEncoded(r, optionsOf(o)), columns: usualColumns, looks: optionsOf(o).looks}
	f.doubts = newDoubts(optionsOf(o), &f.lost)
	return f
}

// begin reads up to the first line that is of the format.
func (f *ass) begin() error {
	head := f.unmark()
	foreign := &FormatError{Format: FormatASS, Head: head}
	if isWebPage(f.lines.peek(sniffed)) {
		return foreign
	}
	for {
		line, _, err := f.lines.next()
		switch {
		case err == io.EOF || err == ErrTooLarge: //nolint:errorlint // these are as lines made them
			return foreign
		case err != nil:
			return f.failed(err)
		case isScript(line):
			f.lines.back()
			return nil
		}
	}
}

// isScript reports whether a line is a section or an event of the format.
func isScript(line []byte) bool {
	line = bytes.TrimSpace(line)
	if len(line) > len("[Script Info]") {
		line = line[:len("[Script Info]")]
	}
	lower := string(bytes.ToLower(line))
	for _, begin := range []string{"[script info]", "[events]", "[v4 styles]", "[v4+ styles]", "dialogue:"} {
		if strings.HasPrefix(lower, begin) {
			return true
		}
	}
	return false
}

// block reads the next line into s. If the line is no cue with text, s stays as it is.
func (f *ass) block(s *transcript.Segment) error {
	line, _, err := f.lines.next()
	if err == io.EOF {
		return err
	}
	if err != nil {
		return f.failed(err)
	}
	line = bytes.TrimSpace(bytes.Trim(line, "\x00"))
	switch {
	case len(line) == 0 || line[0] == ';' && !bytes.Contains(line, []byte("ialogue:")) || bytes.HasPrefix(line, []byte("!:")):
		return nil
	case line[0] == '[' && line[len(line)-1] == ']':
		f.events = strings.EqualFold(string(line), "[Events]")
		return nil
	}
	kind, value, _ := bytes.Cut(line, []byte(":"))
	switch strings.ToLower(string(bytes.TrimSpace(kind))) {
	case "dialogue":
		f.events = true
		if err := f.event(s, bytes.TrimLeft(value, " \t")); err != nil {
			return f.failed(err)
		}
	case "format":
		f.format(value)
	case "wrapstyle":
		f.breaks = string(bytes.TrimSpace(value)) == "2"
	case "comment", "picture", "sound", "movie", "command":
	default:
		if f.events {
			f.lost.add("in line %d: this is no event: %q", f.lines.number, excerpt(line))
		}
	}
	return nil
}

// format reads the columns of events. Those of styles have no times.
func (f *ass) format(value []byte) {
	c, ok, events := columnsOf(value)
	if events {
		f.events = true
	}
	if ok {
		f.columns = c
	} else if f.events {
		f.lost.add("in line %d: a column is missing or not known: %q", f.lines.number, excerpt(bytes.TrimSpace(value)))
	}
}

// event fills s with the cue of an event.
func (f *ass) event(s *transcript.Segment, value []byte) error {
	e, ok := f.columns.cut(value)
	if !ok {
		f.lost.add("in line %d: the columns of the event cannot be read: %q", f.lines.number, excerpt(value))
		return nil
	}
	text, speaker := f.decodeLines(e.text), f.decodeLines(e.speaker)
	if f.legacy.unlikely && (!utf8.Valid(e.text) || !utf8.Valid(e.speaker)) {
		f.lost.add(noEncoding, f.lines.number+1)
		return nil
	}
	f.text.reset()
	if err := f.show(text, cutName(bytes.Join(bytes.Fields(speaker), []byte(" ")))); err != nil {
		return err
	}
	f.doubts.add(f.lines.number, e.timing)
	f.text.fill(s, e.start, e.end)
	f.looks.part(e.style)
	f.looks.part(e.text)
	f.looks.end(s.Text != "")
	return nil
}

// losses returns what was lost, after the end of the file.
func (f *ass) losses() *LostError {
	f.doubts.end()
	f.doubts = nil
	return f.lost.of(FormatASS)
}

// failed says where reading stopped.
func (f *ass) failed(err error) error {
	return fmt.Errorf("caption: ass after line %d: %w", f.lines.number, err)
}
