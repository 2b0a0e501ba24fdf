package caption

import (
	"bytes"
	"fmt"
	"io"
	"iter"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// ReadWebVTT reads a WebVTT file: see [WebVTT]. If there is an error, the File is
// empty. A file without cues is not an error.
func ReadWebVTT(r io.Reader) (File, error) {
	f := newWebVTT(r, false, options{})
	if err := f.begin(); err != nil && err != io.EOF {
		return File{}, err
	}
	segments, err := f.lines.collect(f.block)
	if err != nil {
		return File{}, err
	}
	return file(segments, f.losses())
}

// WebVTT reads a WebVTT file by the parsing algorithm of W3C WebVTT, as browsers do: a
// cue with a broken timestamp is lost, broken settings are ignored, and a cue that the
// end of the file cuts off is kept.
//
// The sequence has the cues in the order of the file and holds one cue at a time. The
// sequence reads r during the loop, so the caller can range over it only once. If the
// loop ends early, the rest of r stays unread. The sequence never closes r. An error is
// the last pair of the sequence: a [*FormatError] when the input does not begin as
// WebVTT, [ErrTooLarge] after a line or a cue's text of 1 MiB or more, an error of r,
// and a [*LostError] when timing lines could not be read or text stands outside of
// cues.
//
// Each cue becomes one segment:
//
//   - Text is what a player shows: without tags, ruby annotations and settings,
//     character references decoded once, one space for a run of white space, the
//     lines of the cue joined by "\n". A line without text is left out, and so is
//     a cue without text.
//   - Start and Duration are as written, in seconds. The algorithm keeps cues that end
//     before they start: their Duration is 0. Times over 277,777,777 hours become
//     277,777,777 hours.
//   - Speaker is the name in the voice tag (<v Name>) if all of the text is in one
//     voice tag; otherwise it is empty.
//   - Words are present if the text has timestamps. They are the words of Text in
//     order, and are also split at timestamps. Each lasts from the timestamp before it,
//     or the start of the cue, to the next timestamp, or the end of the cue. A time
//     outside the cue, or earlier than the previous one, is moved to the nearest valid
//     time.
func WebVTT(r io.Reader) iter.Seq2[transcript.Segment, error] {
	return walkWebVTT(r, false, options{})
}

func walkWebVTT(r io.Reader, lax bool, o options) iter.Seq2[transcript.Segment, error] {
	return func(yield func(transcript.Segment, error) bool) {
		f := newWebVTT(r, lax, o)
		if yieldBlocks(f.begin(), f.block, yield) {
			report(f.losses(), yield)
		}
	}
}

// webVTT is a file in reading.
type webVTT struct {
	lines  *lines
	lax    bool // times that are invalid in WebVTT are read as in SubRip
	text   cueText
	named  bool  // cues have names
	next   int64 // the name of the next cue if that is known and a number, or -1
	doubts *doubts
	lost   losses
}

func newWebVTT(r io.Reader, lax bool, o options) *webVTT {
	f := &webVTT{lines: newLines(r), lax: lax, text: cueText{lax: lax}, next: -1}
	f.doubts = newDoubts(o, &f.lost)
	return f
}

// signature begins every WebVTT file.
const signature = "WEBVTT"

// begin reads the signature and the header.
func (f *webVTT) begin() error {
	head := f.lines.peek(len(byteOrderMark) + len(signature) + 1)
	if err := f.lines.err; err != nil && err != io.EOF {
		return f.failed(err)
	}
	rest, marked := bytes.CutPrefix(head, []byte(byteOrderMark))
	after, ok := bytes.CutPrefix(rest, []byte(signature))
	if !ok || len(after) > 0 && !bytes.ContainsRune([]byte(" \t\r\n"), rune(after[0])) {
		return &FormatError{Format: FormatWebVTT, Head: string(f.lines.peek(32))}
	}
	if marked {
		f.lines.skip(len(byteOrderMark))
	}
	if _, _, err := f.lines.next(); err != nil {
		return f.failed(err)
	}
	for {
		line, arrowed, err := f.lines.next()
		switch {
		case err != nil:
			return f.failed(err)
		case len(line) == 0:
			return nil
		case arrowed:
			f.lines.back()
			return nil
		}
	}
}

// block collects a WebVTT block into s. Only a cue is kept: notes, style sheets
// and regions are blocks without a timing line, and lines before it name the cue
// or are lost. A second timing line begins the next block, so a missing empty line
// loses nothing. Without a cue, or text in it, s stays as it is. The error is
// io.EOF at the end of the input.
func (f *webVTT) block(s *transcript.Segment) (err error) {
	b := vttBlock{name: -1, last: -1}
	f.text.reset()
	for {
		var line []byte
		var arrowed bool
		line, arrowed, err = f.lines.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return f.failed(err)
		}
		t, v := f.timing(line, arrowed, &b)
		switch {
		case v != noTiming && b.timed:
			f.lines.back()
			f.above(&b)
		case v != noTiming:
			f.begins(line, t, v, &b)
			continue
		case len(line) == 0:
		case b.timed && !b.cue:
			continue
		case !b.timed:
			f.name(line, &b)
			continue
		case !f.textLine(line, arrowed, &b):
			return f.failed(ErrTooLarge)
		default:
			continue
		}
		break
	}
	if b.cue {
		f.text.segment(s, b.start, b.end)
	}
	switch {
	case b.timed:
	case b.outside > 0:
		f.lost.add(outsideCues, b.outside)
	case b.name >= 0 && (err == nil || !f.named): // the end of a file may cut a cue after its name
		f.doubts.line(f.lines.number - 1)
	}
	return err
}

// vttBlock is a block in reading.
type vttBlock struct {
	timing
	timed, cue bool  // it has a timing line, and one that can be read
	outside    int   // the line of text outside of a cue, or -1 if the text is never shown
	name       int64 // the name of the cue if that is a number, or -1
	last       int64 // the last line of the text if that is a number, or -1
	at         int   // where the last line begins in the text
}

// timing reads a line as a timing line. A standard one has "-->" in it. A lax reader takes
// all that look like one.
func (f *webVTT) timing(line []byte, arrowed bool, b *vttBlock) (t timing, v verdict) {
	if arrowed {
		if t, ok := timings(line); ok {
			return t, goodTiming
		}
	}
	switch {
	case f.lax && (arrowed || b.timed || b.outside >= 0): // notes may have times
		return timingLine(line, arrowed)
	case arrowed:
		v = damagedTiming
	}
	return timing{}, v
}

// begins begins the cue of a timing line. One with a damaged line is lost.
func (f *webVTT) begins(line []byte, t timing, v verdict, b *vttBlock) {
	b.timed, b.cue, b.timing = true, v == goodTiming, t
	f.named = f.named || b.outside > 0 || b.name >= 0
	if b.name < 0 {
		b.name = f.next
	}
	f.next = -1
	switch {
	case b.cue:
		f.lost.after(f.lines.number, t)
		f.doubts.add(f.lines.number, t)
	case b.outside >= 0 && !isApart(line):
		f.lost.add(noTimes, f.lines.number, excerpt(line))
	}
}

// name reads a line above a timing line.
func (f *webVTT) name(line []byte, b *vttBlock) {
	b.name = number(line)
	if b.outside == 0 {
		b.outside = f.outside(line)
	}
}

// textLine adds a line to the text of a cue, and reports whether there was room for it.
func (f *webVTT) textLine(line []byte, arrowed bool, b *vttBlock) bool {
	b.last, b.at = number(line), len(f.text.raw)
	if !f.lax && !arrowed {
		if _, v := timingLine(line, false); v != noTiming {
			f.lost.add("in line %d: these times have no arrow: %q", f.lines.number, excerpt(line))
		}
	}
	if f.doubts != nil && (isApart(line) || b.at == 0 && endsAsSetting(line)) {
		f.doubts.line(f.lines.number)
	}
	return f.text.add(line)
}

// above decides about the last line of a text that a timing line follows at once. It is
// the name of the next cue if the names of the two are consecutive numbers.
func (f *webVTT) above(b *vttBlock) {
	switch {
	case !f.lax || !b.cue || len(f.text.raw) == 0:
	case b.name >= 0 && b.last == b.name+1:
		f.text.raw = f.text.raw[:b.at]
		f.next = b.last
	case f.named || b.last >= 0:
		f.doubts.line(f.lines.number - 1)
	}
}

// losses returns what was lost, after the end of the file.
func (f *webVTT) losses() *LostError {
	f.doubts.end()
	f.doubts = nil
	return f.lost.of(FormatWebVTT)
}

// outside returns where text outside of a cue begins, when line is its first one: a
// number is what is left of a cue's name, and a blank one is nothing.
func (f *webVTT) outside(line []byte) int {
	switch {
	case isApart(line):
		return -1
	case isBlank(line), number(line) >= 0:
		return 0
	}
	return f.lines.number
}

// isApart reports whether a block which begins so is no cue: a note, a style sheet, a
// region, or the header of a file that was appended to another one.
func isApart(line []byte) bool {
	line = bytes.TrimPrefix(line, []byte(byteOrderMark))
	for _, name := range []string{"NOTE", "STYLE", "REGION", signature} {
		if rest, ok := bytes.CutPrefix(line, []byte(name)); ok && (len(rest) == 0 || isSpace(rest[0])) {
			return true
		}
	}
	return false
}

// failed says where reading stopped; the end of the input stays io.EOF.
func (f *webVTT) failed(err error) error {
	if err == io.EOF {
		return err
	}
	return fmt.Errorf("caption: webvtt after line %d: %w", f.lines.number, err)
}

// timings parses the line with the arrow. The settings after the times place a cue on a
// screen and are of no use here.
func timings(line []byte) (t timing, ok bool) {
	line = skipSpace(line)
	var rest []byte
	t.start, rest, ok = timestamp(line)
	if !ok {
		return timing{}, false
	}
	t.first = line[:len(line)-len(rest)]
	line, ok = bytes.CutPrefix(skipSpace(rest), arrow)
	if !ok {
		return timing{}, false
	}
	line = skipSpace(line)
	t.end, t.rest, ok = timestamp(line)
	t.last = line[:len(line)-len(t.rest)]
	return t, ok
}

// timestamp collects a timestamp, in milliseconds, and returns what follows it.
func timestamp(b []byte) (ms int64, rest []byte, ok bool) {
	if ms, ok = fullTimestamp(b); ok {
		return ms, b[fullSize:], true
	}
	first, size, b := digits(b)
	if size == 0 {
		return 0, b, false
	}
	sec, b, ok := exactly(2, ':', b)
	if !ok {
		return 0, b, false
	}
	hour, minute := int64(0), first
	if size != 2 || len(b) > 0 && b[0] == ':' {
		hour, minute = first, sec
		if sec, b, ok = exactly(2, ':', b); !ok {
			return 0, b, false
		}
	}
	ms, b, ok = exactly(3, '.', b)
	return ((hour*60+minute)*60+sec)*1000 + ms, b, ok && minute <= 59 && sec <= 59
}

// fullTimestamp parses a timestamp as nearly all are written, HH:MM:SS.mmm.
func fullTimestamp(b []byte) (ms int64, ok bool) {
	if len(b) < fullSize || b[8] != '.' || b[3] > '5' || b[6] > '5' {
		return 0, false
	}
	return fullTime(b)
}

// exactly parses a separator and n digits with no digit after them.
func exactly(n int, sep byte, b []byte) (v int64, rest []byte, ok bool) {
	if len(b) <= n || b[0] != sep || len(b) > n+1 && isDigit(b[n+1]) {
		return 0, b, false
	}
	for _, c := range b[1 : n+1] {
		if !isDigit(c) {
			return 0, b, false
		}
		v = v*10 + int64(c-'0')
	}
	return v, b[n+1:], true
}

// maxHours keeps times below 1e12 seconds, where milliseconds are exact.
const maxHours = 277_777_777

// digits parses the digits that b begins with.
func digits(b []byte) (v int64, size int, rest []byte) {
	for size < len(b) && isDigit(b[size]) {
		v = min(v*10+int64(b[size]-'0'), maxHours)
		size++
	}
	return v, size, b[size:]
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func skipSpace(b []byte) []byte {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	return b
}

// isSpace reports ASCII white space.
func isSpace(c byte) bool {
	const spaces = 1<<' ' | 1<<'\n' | 1<<'\t' | 1<<'\r' | 1<<'\f'
	return c <= ' ' && spaces>>c&1 != 0
}
