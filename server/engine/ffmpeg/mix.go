package ffmpeg

import (
	"encoding/binary"
	"math"
)

// window is the length of sound for which the mix is decided, in samples: 50 ms.
const window = sampleRate / 20

// fade is the length of the change from one mix to the next, in samples: 10 ms.
const fade = sampleRate / 100

// silentPower is the mean square of a window below which it counts as silent: -70 dBFS.
const silentPower = 10 * 10

// The powers of the mix in relation to the loudest channel at which the mix is left for that
// channel, and at which the mix returns. If one of two channels is silent, their mean has a
// power of 0.25, and it stays the mix.
const (
	leaveMix    = 0.22
	returnToMix = 0.35
)

// mixer mixes the channels of a recording, window by window. The mix is the mean of the
// channels. The mix is the loudest channel while the channels cancel each other. If only a few
// of many channels have sound, the mean is made as loud as the loudest channel.
type mixer struct {
	channels int
	mean     []float64 // the part of each channel in the mean
	minor    int       // a channel for effects, which counts only if the others are silent; -1: none

	weights []float64 // the mix of the last window
	next    []float64
	only    int  // the channel that is the mix, -1: none
	scaled  bool // the mean is made louder
	powers  []float64

	loudest float64 // the mean square of the loudest window of any channel
	voices  *voices
}

// newMixer returns a mixer of so many channels. layout is the name of their layout, as
// ffprobe names it; it may be empty.
func newMixer(channels int, layout string) *mixer {
	m := &mixer{
		channels: channels, only: -1,
		mean: make([]float64, channels), weights: make([]float64, channels),
		next: make([]float64, channels), powers: make([]float64, channels),
	}
	center, effects := places(layout, channels)
	m.minor = effects
	total := 0.0
	for c := range m.mean {
		switch c {
		case center:
			m.mean[c] = 1
		case m.minor:
			m.mean[c] = 0.1
		default:
			m.mean[c] = 0.7
		}
		total += m.mean[c]
	}
	for c := range m.mean {
		m.mean[c] /= total
	}
	copy(m.weights, m.mean)
	return m
}

// places returns which channel of a layout is the center, where films have their speech, and
// which one is for low effects; -1: none.
func places(layout string, channels int) (center, effects int) {
	switch {
	case layout == "2.1" && channels == 3:
		return -1, 2
	case layout == "3.0" || layout == "5.0" || layout == "5.0(side)" || layout == "4.0":
		return 2, -1
	case layout == "3.1" || layout == "4.1" || len(layout) >= 3 && (layout[:3] == "5.1" || layout[:3] == "6.1" || layout[:3] == "7.1"):
		return 2, 3
	}
	return -1, -1
}

// mix appends the mix of a window to out, as 16 bit, little endian. frames are the samples of
// all channels, at most one window.
func (m *mixer) mix(out, frames []byte) []byte {
	if m.channels == 1 {
		m.hear(frames)
		return append(out, frames...)
	}
	n := len(frames) / 2 / m.channels
	m.decide(m.measure(frames, n), n)
	return m.write(out, frames, n)
}

// hear measures a window of one channel.
func (m *mixer) hear(frames []byte) {
	var sum int64
	for i := 0; i+1 < len(frames); i += 2 {
		s := int64(int16(binary.LittleEndian.Uint16(frames[i:])))
		sum += s * s
	}
	if n := len(frames) / 2; n > 0 {
		m.loudest = max(m.loudest, float64(sum)/float64(n))
	}
}

// measure sets the powers of the channels, and returns the power of their mean.
func (m *mixer) measure(frames []byte, n int) float64 {
	if n == 0 {
		return 0
	}
	if m.channels == 2 {
		return m.measureTwo(frames, n)
	}
	clear(m.powers)
	total := 0.0
	for i := range n {
		at, mean := i*m.channels*2, 0.0
		for c := range m.channels {
			s := float64(int16(binary.LittleEndian.Uint16(frames[at+2*c:])))
			m.powers[c] += s * s
			mean += s * m.mean[c]
		}
		total += mean * mean
	}
	for c := range m.powers {
		m.powers[c] /= float64(n)
		m.loudest = max(m.loudest, m.powers[c])
	}
	return total / float64(n)
}

func (m *mixer) measureTwo(frames []byte, n int) float64 {
	var left, right, both int64
	for i := 0; i+3 < len(frames); i += 4 {
		l := int64(int16(binary.LittleEndian.Uint16(frames[i:])))
		r := int64(int16(binary.LittleEndian.Uint16(frames[i+2:])))
		left, right, both = left+l*l, right+r*r, both+l*r
	}
	m.powers[0], m.powers[1] = float64(left)/float64(n), float64(right)/float64(n)
	cross := float64(both) / float64(n)
	m.loudest = max(m.loudest, m.powers[0], m.powers[1])
	m.voices.hear(m.powers[0], m.powers[1], cross)
	return (m.powers[0] + m.powers[1] + 2*cross) / 4
}

// decide sets the weights of the next window.
func (m *mixer) decide(mean float64, n int) {
	copy(m.next, m.weights)
	best := -1
	for c, p := range m.powers {
		if c != m.minor && (best < 0 || p > m.powers[best]) {
			best = c
		}
	}
	if m.minor >= 0 && m.powers[best] < silentPower {
		best = m.minor
	}
	loudest := m.powers[best]
	if n == 0 || loudest < silentPower/10 {
		return // a pause: the mix stays
	}
	mixing := m.only < 0 && !m.scaled
	switch {
	case mean >= returnToMix*loudest, mixing && mean >= leaveMix*loudest:
		m.only, m.scaled = -1, false
		copy(m.next, m.mean)
	case mean*float64(m.channels*m.channels) >= 0.9*loudest && m.channels > 2:
		m.only, m.scaled = -1, true
		for c := range m.next {
			m.next[c] = m.mean[c] * math.Sqrt(loudest/mean)
		}
	default:
		if m.only < 0 || loudest > 2*m.powers[m.only] {
			m.only = best
		}
		m.scaled = false
		clear(m.next)
		m.next[m.only] = 1
	}
}

// write appends the mix of a window, which fades from the last weights to the next.
func (m *mixer) write(out, frames []byte, n int) []byte {
	changed := false
	for c := range m.next {
		changed = changed || m.next[c] != m.weights[c]
	}
	done := 0
	if changed {
		done = min(fade, n)
		for i := range done {
			part := float64(i+1) / fade
			sum := 0.0
			for c := range m.channels {
				w := m.weights[c] + (m.next[c]-m.weights[c])*part
				sum += w * float64(int16(binary.LittleEndian.Uint16(frames[(i*m.channels+c)*2:])))
			}
			out = appendSample(out, sum)
		}
		copy(m.weights, m.next)
	}
	if m.channels == 2 && m.only < 0 {
		for i := done * 4; i+3 < len(frames); i += 4 {
			sum := int32(int16(binary.LittleEndian.Uint16(frames[i:]))) + int32(int16(binary.LittleEndian.Uint16(frames[i+2:])))
			out = binary.LittleEndian.AppendUint16(out, uint16(int16(sum>>1)))
		}
		return out
	}
	for i := done; i < n; i++ {
		sum := 0.0
		for c, w := range m.weights {
			sum += w * float64(int16(binary.LittleEndian.Uint16(frames[(i*m.channels+c)*2:])))
		}
		out = appendSample(out, sum)
	}
	return out
}

func appendSample(out []byte, s float64) []byte {
	s = max(math.MinInt16, min(math.Round(s), math.MaxInt16))
	return binary.LittleEndian.AppendUint16(out, uint16(int16(s)))
}
