package caption

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// ReadSBV reads an SBV file: see [SBV]. If there is an error, the File is empty.
func ReadSBV(r io.Reader, o ...Option) (File, error) {
	f := newSBV(r, o)
	if err := f.begin(); err != nil {
		return File{}, err
	}
	segments, err := f.lines.collect(f.block)
	if err != nil {
		return File{}, err
	}
	return file(segments, f.losses())
}

// SBV reads an SBV file, which the studio of a large video site downloads.
//
// The sequence has the cues in the order of the file and holds one cue at a time. The
// sequence reads r during the loop, so the caller can range over it only once. If the
// loop ends early, the rest of r stays unread. The sequence never closes r. An error is
// the last pair of the sequence: a [*FormatError] when the input has no timing line, or
// begins as WebVTT or as a web page, [ErrTooLarge] after a line or a cue's text of 1
// MiB or more, an error of r, and a [*LostError] when timing lines could not be read,
// text stands outside of cues, or the encoding of a cue's text cannot be determined.
//
// A cue is a timing line and the lines after it up to an empty line.
//
//   - A timing line has two times with a comma between them ("0:00:01.000,0:00:03.500").
//     SBV also reads a semicolon and the arrows of [SRT]. Times have the form of [SRT].
//   - Text is shown as written. "[br]" is a line break. White space and the encodings of
//     the file are those of [SRT].
func SBV(r io.Reader, o ...Option) iter.Seq2[transcript.Segment, error] {
	return func(yield func(transcript.Segment, error) bool) {
		f := newSBV(r, o)
		if yieldBlocks(f.begin(), f.block, yield) {
			report(f.losses(), yield)
		}
	}
}

// sbv is a file in reading.
type sbv struct {
	encoded
	text   cueText
	cue    timing // the cue that comes next
	doubts *doubts
	lost   losses
}

func newSBV(r io.Reader, o []Option) *sbv {
	f := &sbv{encoded: newEncoded(r, optionsOf(o))}
	f.doubts = newDoubts(optionsOf(o), &f.lost)
	return f
}

// begin reads up to the first timing line.
func (f *sbv) begin() error {
	head := f.unmark()
	foreign := &FormatError{Format: FormatSBV, Head: head}
	if bytes.HasPrefix(f.lines.peek(len(signature)), []byte(signature)) || isWebPage(f.lines.peek(sniffed)) {
		return foreign
	}
	before := 0 // the first line of text
	for {
		line, arrowed, err := f.lines.next()
		switch {
		case err == io.EOF && f.lost.cues > 0:
			return f.losses()
		case err == io.EOF || err == ErrTooLarge: //nolint:errorlint // these are as lines made them
			return foreign
		case err != nil:
			return f.failed(err)
		}
		switch f.timing(line, arrowed) {
		case goodTiming:
			if before > 0 {
				f.lost.add(outsideCues, before)
			}
			return nil
		case damagedTiming:
			f.skip()
		case noTiming:
			if before == 0 && !isBlank(line) {
				before = f.lines.number
			}
		}
	}
}

// timing reads a line into cue if it is a timing line, and counts a damaged one as lost.
func (f *sbv) timing(line []byte, arrowed bool) verdict {
	t, v := markedTimes(line, ",;")
	if v == noTiming {
		if t, v = timingLine(line, arrowed); v == noTiming && isTimelike(line) {
			v = damagedTiming
		}
	}
	switch v {
	case goodTiming:
		f.cue = t
		f.lost.after(f.lines.number, t)
		f.doubts.add(f.lines.number, t)
	case damagedTiming:
		f.lost.add(noTimes, f.lines.number, excerpt(line))
	}
	return v
}

// skip passes over the text of a cue whose times cannot be read.
func (f *sbv) skip() {
	for {
		line, arrowed, err := f.lines.next()
		if err != nil || isBlank(line) {
			return // the error comes again
		}
		_, marked := markedTimes(line, ",;")
		if _, v := timingLine(line, arrowed); v == goodTiming || marked == goodTiming {
			f.lines.back()
			return
		}
	}
}

// block collects the cue whose timing line has been read into s, and reads the next
// timing line. Without text s stays as it is. The error is io.EOF after the last cue.
func (f *sbv) block(s *transcript.Segment) error {
	start, end := f.cue.start, f.cue.end
	f.text.reset()
	ended, outside := false, false
	for {
		line, arrowed, err := f.lines.next()
		if err != nil && err != io.EOF {
			return f.failed(err)
		}
		v := noTiming
		if err == nil {
			v = f.timing(line, arrowed)
		}
		switch {
		case v == goodTiming || err == io.EOF:
			if failed := f.segment(s, start, end); failed != nil {
				return f.failed(failed)
			}
			return err
		case v == damagedTiming:
			f.skip()
			ended, outside = true, false
		case isBlank(line):
			ended, outside = ended || len(f.text.raw) > 0, false
		case ended:
			if !outside {
				f.lost.add(outsideCues, f.lines.number)
			}
			outside = true
		case !f.text.add(line):
			return f.failed(ErrTooLarge)
		}
	}
}

// segment fills s, with times in milliseconds, when there is text to show.
func (f *sbv) segment(s *transcript.Segment, start, end int64) error {
	raw := f.decodeLines(f.text.raw)
	if f.legacy.unlikely && !utf8.Valid(f.text.raw) {
		f.lost.add(noEncoding, f.lines.number)
		return nil
	}
	if err := f.text.addText(bytes.ReplaceAll(raw, []byte("[br]"), []byte("\n")), nil); err != nil {
		return err
	}
	f.text.fill(s, start, end)
	return nil
}

// losses returns what was lost, after the end of the file.
func (f *sbv) losses() *LostError {
	f.doubts.end()
	f.doubts = nil
	return f.lost.of(FormatSBV)
}

// failed says where reading stopped.
func (f *sbv) failed(err error) error {
	return fmt.Errorf("caption: sbv after line %d: %w", f.lines.number, err)
}
