package format

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// minCue is how long, in milliseconds, a cue is where nothing follows too soon.
const minCue = 200

// enough is how many bytes are gathered before they are written.
const enough = 32 << 10

// syntax is the kind of a file of cues.
type syntax bool

const (
	srt syntax = false
	vtt syntax = true
)

// cues is a file of cues in writing. Times are in milliseconds.
type cues struct {
	syntax syntax
	segs   []transcript.Segment // those that are not written, the first with text
	number int                  // of cues written
	clock  int64                // the end of the last of them

	// Segments that do not start after the clock are written together.
	together int   // how many of them are left
	until    int64 // when the last of them ends
	next     int64 // when the segment after them starts
}

func newCues(segs []transcript.Segment, s syntax) cues {
	return cues{syntax: s, segs: silent(segs)}
}

func appendCues(dst []byte, c cues) []byte {
	for len(c.segs) > 0 {
		dst = c.appendSegment(dst)
	}
	return dst
}

// writeCues writes what is in buf, and the cues.
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

// silent leaves out the segments without text before the first that has some.
func silent(segs []transcript.Segment) []transcript.Segment {
	for len(segs) > 0 && !spoken(segs[0].Text) {
		segs = segs[1:]
	}
	return segs
}

// spoken reports whether s has more than white space.
func spoken(s string) bool {
	return s != "" && (plain[s[0]] && s[0] != ' ' || strings.TrimSpace(s) != "")
}

// appendSegment appends the cues of the first segment.
func (c *cues) appendSegment(dst []byte) []byte {
	s := &c.segs[0]
	if c.together == 0 {
		c.gather()
	}
	from := max(c.clock, millis(s.Start))
	limit := c.next
	if c.together > 1 { // share what is left
		end := min(max(c.until, from+minCue*int64(c.together)), c.next)
		limit = from + (end-from)/int64(c.together)
	}

	// The text stands where its cues will be, until they stand behind it.
	base := len(dst)
	dst, text := appendClean(dst, strings.TrimSpace(s.Text), c.syntax)
	end := len(dst)
	text.lay(dst[base:end:end])

	need := int64(text.cues)
	to := max(millis(s.Start)+millis(s.Duration), from+minCue*need)
	to = max(min(to, limit), from+need) // no cue without time
	dst = c.appendText(dst, &text, s.Speaker, from, to)
	dst = dst[:base+copy(dst[base:], dst[end:])]

	c.clock, c.together, c.segs = to, c.together-1, silent(c.segs[1:])
	return dst
}

// gather finds the segments that are to be written together.
func (c *cues) gather() {
	from := max(c.clock, millis(c.segs[0].Start))
	c.until, c.next = 0, math.MaxInt64
	for i := range c.segs {
		s := &c.segs[i]
		if i > 0 && !spoken(s.Text) {
			continue
		}
		start := millis(s.Start)
		if start > from {
			c.next = start
			return
		}
		c.together++
		c.until = max(c.until, start+millis(s.Duration))
	}
}

// appendText appends the cues of a text, which share its time by characters. None
// is shorter than minCue if all have that much.
func (c *cues) appendText(dst []byte, t *cueText, speaker string, from, to int64) []byte {
	least := min(minCue, (to-from)/int64(t.cues))
	rest, start, done := t.text, from, 0
	for left := t.cues - 1; ; left-- {
		first, second, after, _ := t.cue(rest, t.width)
		if left == 0 {
			return c.appendCue(dst, t, speaker, start, to, first, second)
		}
		done += t.count(rest[:len(rest)-len(after)])
		end := from + int64(float64(to-from)*float64(done)/float64(t.chars))
		end = min(max(end, start+least), to-least*int64(left))
		dst = c.appendCue(dst, t, speaker, start, end, first, second)
		rest, start = after, end
	}
}

// appendCue appends one cue. The second line may be empty.
func (c *cues) appendCue(dst []byte, t *cueText, speaker string, from, to int64, first, second []byte) []byte {
	c.number++
	if c.number > 1 || c.syntax == vtt {
		dst = append(dst, '\n')
	}
	mark := byte('.')
	if c.syntax == srt {
		mark = ','
		dst = append(strconv.AppendInt(dst, int64(c.number), 10), '\n')
	}
	dst = appendClock(dst, from, mark)
	dst = append(dst, " --> "...)
	dst = append(appendClock(dst, to, mark), '\n')
	if c.syntax == vtt {
		dst = appendVoice(dst, speaker)
	}
	dst = c.appendLine(dst, t, first)
	if len(second) > 0 {
		dst = c.appendLine(dst, t, second)
	}
	return dst
}

func (c *cues) appendLine(dst []byte, t *cueText, line []byte) []byte {
	if c.syntax == vtt && t.special {
		return append(appendEscaped(dst, line), '\n')
	}
	return append(append(dst, line...), '\n')
}

// appendClock appends a time as HH:MM:SS, the mark and milliseconds.
func appendClock(dst []byte, ms int64, mark byte) []byte {
	sec := ms / 1000
	hour := sec / 3600
	if hour < 100 {
		dst = append(dst, byte('0'+hour/10), byte('0'+hour%10))
	} else {
		dst = strconv.AppendInt(dst, hour, 10)
	}
	m, s, f := sec/60%60, sec%60, ms%1000
	return append(dst, ':', byte('0'+m/10), byte('0'+m%10), ':', byte('0'+s/10), byte('0'+s%10),
		mark, byte('0'+f/100), byte('0'+f/10%10), byte('0'+f%10))
}
