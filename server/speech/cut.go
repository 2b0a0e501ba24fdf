package speech

const (
	// A frame below pause is a place where one may cut.
	pauseLevel level = -35
	// A stretch with no frame above silence is not recognized. It lies well below
	// pauseLevel: to recognize noise costs a second, to lose quiet words costs them.
	silenceLevel level = -50
	// A recording whose loudest sounds are below usualPeak is judged by thresholds
	// as much lower, but at most by lowest, so that hiss does not become speech.
	usualPeak level = -20
	lowest    level = 15

	peakFrames = 25  // half a second: a click is not how loud people speak
	pauseMin   = 15  // 0.3 s: shorter ones are within words
	apartMin   = 250 // 5 s: a silence this long need not be recognized
	margin     = 12  // 0.24 s of such a silence stay with the speech on either side
)

// stretch is a run of frames: from, and the one after the last.
type stretch struct {
	from, to int
	silent   bool
}

func (s stretch) frames() int { return s.to - s.from }

// cut tiles the frames with stretches: of speech, at most longest frames long (50 is
// the least), and of silence. Of all ways to cut at pauses it is the one that is
// recognized at the least cost; window is what is paid for whole, in frames, at least 1.
func cut(levels []level, longest, window int) []stretch {
	lower := quietRecording(levels)
	c := cutter{levels: levels, pause: pauseLevel - lower, silence: silenceLevel - lower, longest: longest}
	out := cheapest(c.pieces(), longest, window)
	for i, s := range out {
		out[i].silent = c.isSilent(s) // also one that is short, if chunks are
	}
	return out
}

// quietRecording is by how many dB the recording is quieter than usual.
func quietRecording(levels []level) level {
	var count [1 - quietest]int // by dB below full scale
	for _, l := range levels {
		count[-min(l, 0)]++
	}
	seen := 0
	for below, n := range count {
		if seen += n; seen >= peakFrames {
			return min(max(usualPeak+level(below), 0), lowest)
		}
	}
	return 0
}

// cutter finds where a recording may be cut.
type cutter struct {
	levels         []level
	pause, silence level // frames below
	longest        int   // frames
}

// piece is a stretch that is not cut any further.
type piece struct {
	stretch
	rough int // how bad it is to cut before it, from 0
}

// pieces tiles the recording with its long silences and the pieces between them, each
// of which is at most longest frames long.
func (c cutter) pieces() []piece {
	var out []piece
	done := 0
	for _, s := range runs(c.levels, 0, len(c.levels), c.silence) {
		if s.frames() < apartMin {
			continue
		}
		if s.from > 0 {
			s.from += margin
			out = c.appendSpeech(out, stretch{from: done, to: s.from})
		}
		if s.to < len(c.levels) {
			s.to -= margin
		}
		s.silent = true
		out = append(out, piece{stretch: s})
		done = s.to
	}
	if done < len(c.levels) {
		out = c.appendSpeech(out, stretch{from: done, to: len(c.levels)})
	}
	return out
}

// appendSpeech parts a stretch of speech in the middle of its pauses, and what has none
// and is too long for one chunk also elsewhere.
func (c cutter) appendSpeech(out []piece, s stretch) []piece {
	rough := 0 // what is before it is silent
	for _, p := range runs(c.levels, s.from, s.to, c.pause) {
		if p.frames() < pauseMin {
			continue
		}
		middle := (p.from + p.to) / 2
		out = c.appendUnbroken(out, stretch{from: s.from, to: middle}, rough)
		s.from, rough = middle, max(apartMin-p.frames(), 0)
	}
	return c.appendUnbroken(out, s, rough)
}

// appendUnbroken cuts a stretch without pauses where it is quiet: in the second half of
// what is allowed, but so that the rest is not a mere crumb.
func (c cutter) appendUnbroken(out []piece, s stretch, rough int) []piece {
	for s.frames() > c.longest {
		at := c.quietestPoint(s.from+c.longest/2, s.from+min(c.longest, s.frames()-c.longest/4))
		out = append(out, piece{stretch{from: s.from, to: at}, rough})
		s.from, rough = at, 4*apartMin
	}
	return append(out, piece{s, rough})
}

// quietestPoint is the middle of the quietest tenth of a second, the last one
// of equals.
func (c cutter) quietestPoint(from, to int) int {
	const width = 5
	best, at := 0, to
	for i := from; i+width <= to; i++ {
		sum := 0
		for _, l := range c.levels[i : i+width] {
			sum += int(l)
		}
		if at == to || sum <= best {
			best, at = sum, i+width/2
		}
	}
	return at
}

// runs returns the runs of frames in [from, to) that are below a level.
func runs(levels []level, from, to int, below level) []stretch {
	var out []stretch
	start := -1
	for i := from; i <= to; i++ {
		quiet := i < to && levels[i] < below
		switch {
		case quiet && start < 0:
			start = i
		case !quiet && start >= 0:
			out = append(out, stretch{from: start, to: i})
			start = -1
		}
	}
	return out
}

func (c cutter) isSilent(s stretch) bool {
	for _, l := range c.levels[s.from:s.to] {
		if l >= c.silence {
			return false
		}
	}
	return true
}
