package ffmpeg

import "math"

// The bounds by which two channels count as two voices.
const (
	mostAlike     = 0.3  // the correlation of the channels
	leastTurns    = 0.1  // the part of the loud windows in which one channel is much louder, for each channel
	muchLouder    = 10   // 10 dB, as a ratio of powers
	loudWindow    = 1000 // the least mean square of a loud window: -60 dBFS
	leastChange   = 5.0  // how much the level of a voice changes, as the standard deviation in dB
	leastTwoVoice = 40   // the least number of loud windows: 2 s
)

// voices decides whether two channels are two voices: whether they have little in common,
// and take turns. The level of speech rises and falls. The level of noise and of tones stays,
// so noise counts as no voice.
type voices struct {
	left, right, cross float64 // sums of powers, and of products
	loud               int     // windows in which a channel is loud
	turns              [2]int  // windows in which one channel is much louder
	levels             [2]spread
}

// spread is the variance of a sequence of levels.
type spread struct{ n, sum, squares float64 }

func (s *spread) add(power float64) {
	db := 10 * math.Log10(max(power, 1))
	s.n, s.sum, s.squares = s.n+1, s.sum+db, s.squares+db*db
}

func (s *spread) deviation() float64 {
	if s.n == 0 {
		return 0
	}
	mean := s.sum / s.n
	return math.Sqrt(max(0, s.squares/s.n-mean*mean))
}

// hear takes the powers of a window, and the mean product of its samples.
func (v *voices) hear(left, right, cross float64) {
	v.left, v.right, v.cross = v.left+left, v.right+right, v.cross+cross
	v.levels[0].add(left)
	v.levels[1].add(right)
	if max(left, right) < loudWindow {
		return
	}
	v.loud++
	switch {
	case left > muchLouder*right:
		v.turns[0]++
	case right > muchLouder*left:
		v.turns[1]++
	}
}

// two reports whether the channels are two voices.
func (v *voices) two() bool {
	if v.loud < leastTwoVoice || v.left == 0 || v.right == 0 {
		return false
	}
	least := int(leastTurns * float64(v.loud))
	return math.Abs(v.cross)/math.Sqrt(v.left*v.right) < mostAlike &&
		v.turns[0] > least && v.turns[1] > least &&
		v.levels[0].deviation() > leastChange && v.levels[1].deviation() > leastChange
}
