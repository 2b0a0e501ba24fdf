package caption

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// ReadSRT reads a SubRip file: see [SRT]. If there is an error, the File is empty.
func ReadSRT(r io.Reader, o ...Option) (File, error) {
	f := newSubRip(r, o)
	if err := f.begin(); err != nil {
		return File{}, err
	}
	segments, err := f.lines.collect(f.block)
	if err != nil {
		return File{}, err
	}
	return file(segments, f.losses())
}

// SRT reads a SubRip file. The format has no standard: SRT reads what players read, and
// some files that players do not read.
//
// The sequence has the cues in the order of the file and holds one cue at a time. The
// sequence reads r during the loop, so the caller can range over it only once. If the
// loop ends early, the rest of r stays unread. The sequence never closes r. An error is
// the last pair of the sequence: a [*FormatError] when the input has no timing line, or
// begins as WebVTT or as a web page, [ErrTooLarge] after a line or a cue's text of 1
// MiB or more, an error of r, and a [*LostError] when a timing line does not have both
// times, so that its cue is lost, when a cue has an index and no timing line, when text
// stands before the first cue or after the times of a line, or when the encoding of a
// cue's text cannot be determined.
//
// A cue extends from its timing line to the next timing line or the end of the file,
// because empty lines may be within its text or missing after it. So the sequence
// yields a cue only when the next one has begun. Lines before the first timing line are
// lost.
//
//   - A timing line has an arrow between two times. A time has hours, which may be
//     missing, minutes, seconds and, after a comma, a dot or a colon, a fraction, which
//     may be missing. Numbers may have any number of digits; ",5" is half a second.
//     Coordinates and settings after the times are ignored. SRT also reads other arrows
//     ("->", "-- >", a long dash, "→", none between full times) and full-width
//     characters, and other marks within full times ("00.00.01.000"). If one of the
//     times cannot be read, the cue is lost. If no time can be read, the line is text. So
//     is a clock time with an arrow and a word after it ("12:30 --> the train"). Negative
//     times become zero, a cue that ends before it starts has the duration 0, and times
//     over 277,777,777 hours become 277,777,777 hours.
//   - A number alone on the line above a timing line is the index of the cue if the
//     line above the number is empty, whatever the number is. Right under text, or with
//     an empty line on either side, it is the index only if it is the previous index or
//     one more, because the last line of a cue's text may be a number. All other
//     numbers are text.
//   - Text is what a player shows: without the tags i, b, u, s and font and the
//     override blocks of ASS ({\an8}), "\n" for br and \N, one space for a run of white
//     space (no-break spaces and \h included, but "\happen" is a word), the lines of
//     the cue joined by "\n". A line without text is left out, and so is a cue without
//     text. Other text in angle brackets stays. SRT decodes, once, the nine character
//     references that converters leave in files: &amp; &lt; &gt; &quot; &apos; &#39;
//     &nbsp; and the marks &lrm; &rlm;. Some players decode them, and no speaker says
//     them. Tags of WebVTT, and its times within the text, are left out as well; a
//     voice tag names the Speaker.
//   - The encoding is UTF-16 (with or without a byte order mark), UTF-8, or the old
//     encoding of the [Language]. Without a Language, it is the old encoding that suits
//     the text best, else Windows-1252. In a file without a mark, SRT decides for each
//     line: a line that is not UTF-8 is in the old encoding. But if most characters
//     beyond ASCII of the file or of the line are valid UTF-8, then it is damaged
//     UTF-8, and each broken byte becomes U+FFFD. So a damaged byte affects no other
//     line. A cue in an unknown encoding is lost. NUL is left out.
func SRT(r io.Reader, o ...Option) iter.Seq2[transcript.Segment, error] {
	return func(yield func(transcript.Segment, error) bool) {
		f := newSubRip(r, o)
		if yieldBlocks(f.begin(), f.block, yield) {
			report(f.losses(), yield)
		}
	}
}

// subRip is a file in reading.
type subRip struct {
	encoded
	text   cueText
	voice  []byte // whose words come, as WebVTT has it
	styled bool   // the cue has an override block, so that its backslashes are of ASS
	unruby bool   // no end of an annotation follows in the text of the cue

	cue     timing // of the cue that comes next
	broken  bool   // that cue is lost
	last    int64  // the number above the last timing line that may be an index, or -1
	tail    tail
	orphan  orphan
	outside int // the line of text before the first cue, or 0
	doubts  *doubts
	lost    losses
}

// orphan is a number in the text that is the index of the next cue, if no other follows.
type orphan struct {
	line   int // 0: there is none
	number int64
	above  bool // an empty line stands above
}

func newSubRip(r io.Reader, o []Option) *subRip {
	f := &subRip{encoded: newEncoded(r, optionsOf(o)), last: -1}
	f.doubts = newDoubts(optionsOf(o), &f.lost)
	return f
}

// begin reads up to the first timing line.
func (f *subRip) begin() error {
	head := f.unmark()
	if bytes.HasPrefix(f.lines.peek(len(signature)), []byte(signature)) || isWebPage(f.lines.peek(sniffed)) {
		return &FormatError{Format: FormatSRT, Head: head}
	}
	timed, err := f.read(false)
	switch {
	case timed:
		f.last = f.tail.number
		return nil
	case err == io.EOF || err == ErrTooLarge: //nolint:errorlint // these are as lines made them
		return &FormatError{Format: FormatSRT, Head: head}
	}
	return f.failed(err)
}

// block collects the cue whose timing line has been read into s, and reads the
// next one. Without text s stays as it is. The error is io.EOF after the last cue.
func (f *subRip) block(s *transcript.Segment) error {
	start, end := f.cue.start, f.cue.end
	f.text.reset()
	timed, err := f.read(!f.broken)
	if err != nil && err != io.EOF {
		return f.failed(err)
	}
	raw := f.text.raw
	index := f.tail.isIndex(f.last, timed, f.lines.unended()) || timed && f.orphan.line > 0 && f.tail.number == f.orphan.number+1
	f.adopt(index, timed)
	if index && len(raw) > 0 {
		raw = raw[:f.tail.at]
	}
	if index || f.tail.number >= 0 && !f.tail.below {
		f.last = f.tail.number
	}
	if err := f.segment(s, raw, start, end); err != nil {
		return f.failed(err)
	}
	return err
}

// read reads up to the next timing line, whether there is one, and keeps the lines
// before it as the text of a cue.
func (f *subRip) read(keep bool) (timed bool, err error) {
	f.tail, f.orphan = tail{number: -1}, orphan{}
	for {
		line, arrowed, err := f.lines.next()
		if err != nil {
			return false, err
		}
		if t, v := timingLine(line, arrowed); v != noTiming {
			f.begins(line, t, v)
			return true, nil
		}
		if isBlank(line) {
			f.tail.below = true
			continue
		}
		if f.tail.number >= 0 && f.tail.number == f.last+1 && f.last >= 0 {
			f.orphan = orphan{f.tail.line, f.tail.number, f.tail.above}
		}
		f.tail = tail{line: f.lines.number, number: number(line), at: len(f.text.raw), above: f.tail.below}
		if f.outside == 0 && f.tail.number < 0 && !bytes.Equal(bytes.TrimSpace(line), []byte(byteOrderMark)) {
			f.outside = f.lines.number
		}
		if keep && !f.text.add(line) {
			return false, ErrTooLarge
		}
	}
}

// begins begins the cue of a timing line. One with a damaged line is lost.
func (f *subRip) begins(line []byte, t timing, v verdict) {
	if f.outside > 0 {
		f.lost.add(outsideCues, f.outside)
	}
	f.outside = -1 // no text is before the first cue any more
	f.cue, f.broken = t, v == damagedTiming
	if f.broken {
		f.lost.add(noTimes, f.lines.number, excerpt(line))
		return
	}
	f.lost.after(f.lines.number, t)
	f.doubts.add(f.lines.number, t)
}

// adopt counts the cue of an index as lost that stands in the text, because its timing
// line is missing; so does a line above a timing line that may be text or an index.
func (f *subRip) adopt(index, timed bool) {
	o, next := f.orphan, int64(-1)
	if index && timed {
		next = f.tail.number
	}
	if o.line > 0 && next != o.number && (next == o.number+1 || o.above) {
		f.lost.add("in line %d: cue %d has no times", o.line, o.number)
	}
	if timed && !index && f.last >= 0 && !f.tail.below && f.tail.at > 0 && (f.tail.above || f.tail.number >= 0) {
		f.doubts.line(f.tail.line)
	}
}

// losses returns what was lost, after the end of the file.
func (f *subRip) losses() *LostError {
	f.doubts.end()
	f.doubts = nil
	return f.lost.of(FormatSRT)
}

// tail is the last line with text before a timing line.
type tail struct {
	line         int
	number       int64 // which it is, or -1
	at           int   // where it begins in the text
	above, below bool  // an empty line stands there
}

// isIndex reports whether the line is the index of the next cue: of one with a
// timing line, or that the end of the file cuts off, as unended says within a line.
func (t *tail) isIndex(last int64, timed, unended bool) bool {
	switch {
	case t.number < 0 || t.below && !t.above:
		return false
	case timed && t.above && !t.below:
		return true
	case !timed && !t.above: // of a cue that shows a number and ends the file
		return false
	}
	if !timed && unended && last >= 0 && strings.HasPrefix(strconv.FormatInt(last+1, 10), strconv.FormatInt(t.number, 10)) {
		return true // its end is cut off
	}
	return last >= 0 && (t.number == last+1 || timed && t.number == last)
}

// number parses a line that is a number and nothing else, or returns -1.
func number(line []byte) int64 {
	if c := line[0]; c > '9' && c != byteOrderMark[0] {
		return -1
	}
	v, size, rest := digits(skipSpace(bytes.TrimPrefix(line, []byte(byteOrderMark))))
	if size == 0 || !isBlank(rest) {
		return -1
	}
	return v
}

// isBlank reports whether a line shows nothing.
func isBlank(line []byte) bool {
	for _, c := range line {
		if c != 0 && !isSpace(c) {
			return false
		}
	}
	return true
}

// failed says where reading stopped.
func (f *subRip) failed(err error) error {
	return fmt.Errorf("caption: srt after line %d: %w", f.lines.number, err)
}
