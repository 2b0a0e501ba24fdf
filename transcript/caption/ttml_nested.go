package caption

import (
	"github.com/transcriptkit/transcriptkit/transcript"
)

// maxHeld is how many cues are held back while their times have two readings.
const maxHeld = 1000

// nestedTimes finds out what the times of elements within timed elements count
// from: the standard says that from the begin of the element around, and some
// write all of them on the clock of the media. While a file may be either, it is
// read in both ways at once.
type nestedTimes struct {
	decided bool
	other   *ttmlBody    // how the file reads when nested times are on that clock; nil unless both are possible
	held    [2][]heldCue // the cues of both readings
	size    int          // bytes of their text
	ready   []heldCue    // those of the reading that it is

	repeats  int   // how much speaks for that clock where both stay possible
	repeated int64 // the last begin that did
}

type heldCue struct {
	transcript.Segment

	open bool
}

func (n *nestedTimes) undecided() bool { return n.other != nil }

// hold keeps a cue in both readings.
func (n *nestedTimes) hold(s *transcript.Segment, open bool, other *transcript.Segment, otherOpen bool) {
	if s.Text == "" {
		return
	}
	n.held[0] = append(n.held[0], heldCue{*s, open})
	n.held[1] = append(n.held[1], heldCue{*other, otherOpen})
	n.size += len(s.Text)
}

func (n *nestedTimes) full() bool { return len(n.held[0]) >= maxHeld || n.size >= maxBlock }

// repeat records a begin that is the one of the element around, on the clock of
// the media. That may happen once at a whole second when it counts from there.
func (n *nestedTimes) repeat(ms int64) {
	if ms == n.repeated {
		return
	}
	n.repeated = ms
	if n.repeats++; ms%1000 != 0 {
		n.repeats++
	}
}

// likely returns the likelier reading of a file for which both readings are possible.
func (n *nestedTimes) likely() (absolute bool) { return n.repeats > 1 }

// take returns the next of the cues that need not be held back any more.
func (n *nestedTimes) take() (c heldCue, ok bool) {
	if len(n.ready) == 0 {
		return c, false
	}
	c, n.ready = n.ready[0], n.ready[1:]
	return c, true
}

// compare looks at an element that is about to be opened: whether its times fit
// into those of the element around in one reading only.
func (f *ttml) compare(own *attributes) {
	around := f.body.top()
	if f.body.absolute || around.next == 0 || around.sequence || !own.begin.ok && !own.end.ok {
		return
	}
	clock := around // the element around as it is on the clock of the media
	if f.nested.other != nil {
		clock = f.nested.other.top()
	}
	if own.begin.ok && own.begin.ms == clock.begin {
		f.nested.repeat(own.begin.ms)
	}
	begins, ends := around.next+own.begin.ms, own.end.ms+around.next
	late := own.begin.ok && begins >= around.end
	leaves := late || own.end.ok && ends > around.end || own.dur.ok && begins+own.dur.ms > around.end
	from, to := own.begin.ms, own.end.ms
	if own.dur.ok {
		to = from + own.dur.ms
	}
	starts := !own.begin.ok || clock.begin <= from && from < clock.end
	fits := starts && (to == 0 || clock.begin <= to && to <= clock.end)
	switch {
	case leaves && fits || late && starts:
		f.settle(true)
	case f.nested.decided || leaves:
	case !starts || own.end.ok && to <= clock.begin: // on the clock it would be over before the element around begins
		f.settle(false)
	case f.nested.other == nil:
		f.nested.other = f.body.clone()
		f.nested.other.absolute = true
	}
}

// settle decides, and lets go of the other reading.
func (f *ttml) settle(absolute bool) {
	n := &f.nested
	n.decided = true
	f.body.absolute = absolute
	n.ready = n.held[0]
	if absolute {
		n.ready = n.held[1]
		if n.other != nil {
			f.body = n.other
		}
	}
	n.other, n.held, n.size = nil, [2][]heldCue{}, 0
}
