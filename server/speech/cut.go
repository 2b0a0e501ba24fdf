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
	apartMin   = 250 // 5 s: a pause this long becomes a stretch of its own
	margin     = 12  // 0.24 s of such a pause stay with the speech on either side
)

// stretch is a run of frames: from, and the one after the last.
type stretch struct {
	from, to int
	silent   bool
}

func (s stretch) frames() int { return s.to - s.from }

// cutter cuts one recording.
type cutter struct {
	levels         []level
	pause, silence level // frames below
}

// cut tiles the frames with stretches. Those of speech are at most longest
// frames long (50 is the least).
func cut(levels []level, longest int) []stretch {
	lower := quietRecording(levels)
	c := cutter{levels: levels, pause: pauseLevel - lower, silence: silenceLevel - lower}
	var out []stretch
	for _, s := range c.stretches() {
		if c.isSilent(s) {
			out = append(out, stretch{s.from, s.to, true})
			continue
		}
		for s.frames() > longest {
			at := c.bestCut(s, longest)
			out = append(out, c.judge(stretch{from: s.from, to: at}))
			s.from = at
		}
		out = append(out, c.judge(s))
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

// stretches parts the recording at its long pauses.
func (c cutter) stretches() []stretch {
	var out []stretch
	done := 0
	for _, p := range c.pauses(0, len(c.levels)) {
		if p.frames() < apartMin {
			continue
		}
		if p.from > 0 {
			p.from += margin
			out = append(out, stretch{from: done, to: p.from})
		}
		if p.to < len(c.levels) {
			p.to -= margin
		}
		out = append(out, p)
		done = p.to
	}
	if done < len(c.levels) {
		out = append(out, stretch{from: done, to: len(c.levels)})
	}
	return out
}

// bestCut is where to end the first chunk of a stretch that is too long: in the
// second half of what is allowed, but so that the rest is not a mere crumb.
func (c cutter) bestCut(s stretch, longest int) int {
	from := s.from + longest/2
	to := s.from + min(longest, s.frames()-longest/4)
	best := stretch{}
	for _, p := range c.pauses(from, to) {
		if p.frames() >= pauseMin && p.frames() >= best.frames() {
			best = p // of equal ones the last, for the longer chunk
		}
	}
	if best.frames() > 0 {
		return (best.from + best.to) / 2
	}
	return c.quietestPoint(from, to)
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

// pauses returns the runs of quiet frames in [from, to).
func (c cutter) pauses(from, to int) []stretch {
	var out []stretch
	start := -1
	for i := from; i <= to; i++ {
		quiet := i < to && c.levels[i] < c.pause
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

func (c cutter) judge(s stretch) stretch {
	s.silent = c.isSilent(s)
	return s
}

func (c cutter) isSilent(s stretch) bool {
	for _, l := range c.levels[s.from:s.to] {
		if l >= c.silence {
			return false
		}
	}
	return true
}
