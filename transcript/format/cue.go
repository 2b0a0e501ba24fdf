package format

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// minCue is the shortest duration of a cue, in milliseconds, if no other cue follows too
// soon.
const minCue = 200

// enough is how many bytes are collected before they are written.
const enough = 32 << 10

// syntax is the kind of a cue file.
type syntax bool

const (
	srt syntax = false
	vtt syntax = true
)

// cues is a cue file that is being written. Times are in milliseconds.
type cues struct {
	syntax syntax
	segs   []transcript.Segment // the segments that are not written yet; the first has text
	number number               // of cues written
	clock  int64                // the end of the last cue

	// Segments that do not start after the clock are written together.
	together int   // how many of these segments are left
	until    int64 // when the last of these segments ends
	next     int64 // when the segment after them starts
}

func newCues(segs []transcript.Segment, s syntax) cues {
	c := cues{syntax: s, segs: dropSilent(segs)}
	if len(c.segs) > 0 {
		c.next = wire.Milliseconds(c.segs[0].Start)
	}
	return c
}

func appendCues(dst []byte, c cues) []byte {
	for len(c.segs) > 0 {
		dst = c.appendSegment(dst)
	}
	return dst
}

// writeCues writes the contents of buf, and the cues.
func writeCues(w io.Writer, buf []byte, c cues) error {
	for len(c.segs) > 0 {
		if buf = c.appendSegment(buf); len(buf) < enough {
			continue
		}
		if err := write(w, buf); err != nil {
			return err
		}
		buf = buf[:0]
	}
	return write(w, buf)
}

func write(w io.Writer, b []byte) error {
	if _, err := w.Write(b); err != nil {
		return fmt.Errorf("format: write: %w", err)
	}
	return nil
}

// dropSilent leaves out segments without text up to the first segment with text.
func dropSilent(segs []transcript.Segment) []transcript.Segment {
	for len(segs) > 0 && !hasText(segs[0].Text) {
		segs = segs[1:]
	}
	return segs
}

// hasText reports whether s has more than white space.
func hasText(s string) bool {
	return s != "" && (' ' < s[0] && s[0] < utf8.RuneSelf || strings.TrimSpace(s) != "")
}

// appendSegment appends the cues of the first segment.
func (c *cues) appendSegment(dst []byte) []byte {
	s := &c.segs[0]
	start := c.next // which gather has already found
	if c.together > 0 {
		start = wire.Milliseconds(s.Start)
	} else {
		c.gather(start)
	}
	from := max(c.clock, start)
	limit := c.next
	if c.together > 1 { // share the time that is left
		end := min(max(c.until, from+minCue*int64(c.together)), c.next)
		limit = from + (end-from)/int64(c.together)
	}
	end := start + wire.Milliseconds(s.Duration)
	text := strings.TrimSpace(s.Text)
	if special, ok := asIs(text, c.syntax); ok {
		c.clock = cueEnd(from, end, limit, 1)
		dst = c.appendHead(dst, s.Speaker, from, c.clock)
		dst = append(appendLine(dst, text, c.syntax == vtt && special), '\n')
	} else {
		dst = c.appendText(dst, s, text, from, end, limit)
	}
	c.together, c.segs = c.together-1, dropSilent(c.segs[1:])
	return dst
}

// gather finds the segments that are written together with the first one, which starts at
// start.
func (c *cues) gather(start int64) {
	from := max(c.clock, start)
	c.together, c.until, c.next = 1, 0, math.MaxInt64
	for i := 1; i < len(c.segs); i++ {
		s := &c.segs[i]
		if !hasText(s.Text) {
			continue
		}
		if start := wire.Milliseconds(s.Start); start > from {
			c.next = start
			break
		}
		c.together++
		c.until = max(c.until, wire.Milliseconds(s.Start)+wire.Milliseconds(s.Duration))
	}
	if c.together > 1 {
		c.until = max(c.until, start+wire.Milliseconds(c.segs[0].Duration))
	}
}

// cueEnd returns when the last of n cues ends: at end if possible, and at limit at the
// latest. Every cue lasts for some time.
func cueEnd(from, end, limit, n int64) int64 {
	return max(min(max(end, from+minCue*n), limit), from+n)
}

// appendText appends the cues of a text that must be cleaned or broken into lines. The
// cues share the time of the text by characters. None is shorter than minCue if there is
// time enough for all.
func (c *cues) appendText(dst []byte, s *transcript.Segment, text string, from, end, limit int64) []byte {
	// At first, the text occupies the place of its cues; then the cues are written after it.
	base := len(dst)
	dst, t := appendClean(dst, text, c.syntax)
	behind := len(dst)
	t.layOut(dst[base:behind:behind])

	to := cueEnd(from, end, limit, int64(t.cues))
	least := min(minCue, (to-from)/int64(t.cues))
	rest, done := t.text, 0
	c.clock = from
	for left := t.cues - 1; left >= 0; left-- {
		first, second, after, _ := t.cue(rest, t.width)
		start := c.clock
		c.clock = to
		if left > 0 {
			chars, _ := t.count(rest[:len(rest)-len(after)])
			done += chars
			share := int64(float64(to-from) * float64(done) / float64(t.chars))
			c.clock = min(max(from+share, start+least), to-least*int64(left))
		}
		dst = c.appendHead(dst, s.Speaker, start, c.clock)
		dst = append(appendLine(dst, first, c.syntax == vtt && t.special), '\n')
		if len(second) > 0 {
			dst = append(appendLine(dst, second, c.syntax == vtt && t.special), '\n')
		}
		rest = after
	}
	return dst[:base+copy(dst[base:], dst[behind:])]
}

// appendHead appends the part of a cue before its text.
func (c *cues) appendHead(dst []byte, speaker string, from, to int64) []byte {
	if c.syntax == vtt {
		dst = appendTimes(append(dst, '\n'), from, to, '.')
		return appendVoice(dst, speaker)
	}
	if c.number.size > 0 {
		dst = append(dst, '\n')
	}
	c.number.count()
	dst = append(append(dst, c.number.written()...), '\n')
	return appendTimes(dst, from, to, ',')
}

// number counts in decimal digits, because most digits stay the same from one cue to the
// next. The zero value precedes 1.
type number struct {
	digits [20]byte // the last ones
	size   int
}

func (n *number) written() []byte { return n.digits[len(n.digits)-n.size:] }

// count adds 1.
func (n *number) count() {
	at := len(n.digits) - 1
	for ; n.digits[at] == '9'; at-- {
		n.digits[at] = '0'
	}
	if at < len(n.digits)-n.size {
		n.digits[at] = '0'
		n.size++
	}
	n.digits[at]++
}

// appendTimes appends the line of a cue's times.
func appendTimes(dst []byte, from, to int64, mark byte) []byte {
	dst = append(appendClock(dst, from, mark), " --> "...)
	return append(appendClock(dst, to, mark), '\n')
}

// appendLine appends text, with references where they are needed.
func appendLine[T string | []byte](dst []byte, text T, references bool) []byte {
	if !references {
		return append(dst, text...)
	}
	return appendEscaped(dst, text)
}

// pairs are the numbers of two digits, one after another.
const pairs = "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849" +
	"5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899"

// appendClock appends a time as HH:MM:SS, the mark and milliseconds.
func appendClock(dst []byte, ms int64, mark byte) []byte {
	const round = 100 * 3600 * 1000
	if ms >= round { // the hours without their last two digits
		dst = strconv.AppendInt(dst, ms/round, 10)
		ms %= round
	}
	sec, milli := uint32(ms)/1000, uint32(ms)%1000
	h, m, s, centi := 2*(sec/3600), 2*(sec/60%60), 2*(sec%60), 2*(milli/10)
	return append(dst, pairs[h], pairs[h+1], ':', pairs[m], pairs[m+1], ':',
		pairs[s], pairs[s+1], mark, pairs[centi], pairs[centi+1], byte('0'+milli%10))
}
