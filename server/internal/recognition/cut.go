package recognition

const (
	// A recording may be cut in frames below pauseLevel.
	pauseLevel level = -35
	// A stretch whose frames are all below silenceLevel is not recognized. The level lies well
	// below pauseLevel: recognizing noise costs a second, but losing quiet words costs the
	// words.
	silenceLevel level = -50
	// If the loudest sounds of a recording are below usualPeak, both levels are lowered by the
	// difference, at most by lowest, so that hiss does not count as speech.
	usualPeak level = -20
	lowest    level = 15

	peakFrames = 25  // half a second: a click is shorter than loud speech
	pauseMin   = 15  // 0.3 s: shorter pauses are inside words
	apartMin   = 250 // 5 s: silences of this length are not recognized
	margin     = 12  // 0.24 s of such a silence stay with the speech on either side
)

// stretch is a run of frames: the first one, and the one after the last.
type stretch struct {
	from, to int
	silent   bool
}

func (s stretch) frames() int { return s.to - s.from }

// cut divides the frames from the given one on into stretches of speech, at most longest frames long (at least 50),
// and of silence. Among all ways to cut at pauses it chooses the cheapest one for recognition.
// window is the unit of payment, in frames, at least 1.
func cut(levels []level, from, longest, window int) []stretch {
	c := newCutter(levels[from:], levels, longest)
	out := cheapest(c.pieces(), longest, window)
	for i, s := range out {
		out[i] = stretch{s.from + from, s.to + from, c.isSilent(s)} // also a short silence, if chunks are short
	}
	return out
}

// newCutter returns the cutter of a part of a recording. known are the levels of the recording
// as far as they are known, which decide what counts as silence.
func newCutter(part, known []level, longest int) cutter {
	lower := quietRecording(known)
	return cutter{levels: part, pause: pauseLevel - lower, silence: silenceLevel - lower, longest: longest}
}

// quietRecording returns how much quieter than usual the recording is, in dB.
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

// cutter finds the places to cut a recording.
type cutter struct {
	levels         []level
	pause, silence level // frames below
	longest        int   // frames
}

// piece is a stretch that is not cut further.
type piece struct {
	stretch
	rough int // how bad it is to cut before the piece, from 0
}

// pieces divides the recording into its long silences and the pieces between them. Each piece
// is at most longest frames long.
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

// appendSpeech cuts a stretch of speech in the middle of its pauses. A part without pauses that
// is too long for one chunk is also cut elsewhere.
func (c cutter) appendSpeech(out []piece, s stretch) []piece {
	rough := 0 // the stretch begins after silence
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

// appendUnbroken cuts a stretch without pauses at quiet places: in the second half of the
// permitted length, and so that the rest is not too short.
func (c cutter) appendUnbroken(out []piece, s stretch, rough int) []piece {
	for s.frames() > c.longest {
		at := c.quietestPoint(s.from+c.longest/2, s.from+min(c.longest, s.frames()-c.longest/4))
		out = append(out, piece{stretch{from: s.from, to: at}, rough})
		s.from, rough = at, 4*apartMin
	}
	return append(out, piece{s, rough})
}

// quietestPoint returns the middle of the quietest tenth of a second; the last one if several
// are equal.
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
