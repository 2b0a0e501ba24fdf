package caption

import (
	"math"
	"strconv"
	"strings"
)

const (
	// maxTime bounds the media clock, in milliseconds, as maxHours does.
	maxTime = maxHours * 3600 * 1000
	// forever is the end of what does not tell when it ends.
	forever = math.MaxInt64
)

// ttmlClock is what the root element of a TTML file says about its times (W3C
// TTML2, 6.2 "Timing Attributes" and 12.3 "Time Value Expressions").
type ttmlClock struct {
	nominal   float64 // frames that a second counts
	effective float64 // frames that it lasts
	sub       float64 // parts of a frame
	ticks     float64 // in a second
	smpte     bool    // seconds count frames, and are as long as those are
	drop      string  // which frames are not counted
}

// newTTMLClock reads the timing parameters; a value that is none counts as not there.
func newTTMLClock(param func(name string) string) ttmlClock {
	c := ttmlClock{nominal: 30, sub: 1, ticks: 1}
	c.smpte = param("timeBase") == "smpte"
	c.drop = param("dropMode")
	if v, ok := rate(param("subFrameRate")); ok {
		c.sub = v
	}
	if v, ok := rate(param("frameRate")); ok {
		c.nominal = v
		c.ticks = v * c.sub
	}
	c.effective = c.nominal
	multiplier := strings.FieldsFunc(param("frameRateMultiplier"), func(r rune) bool { return r == ' ' || r == ':' })
	if len(multiplier) == 2 {
		over, okOver := rate(multiplier[0])
		under, okUnder := rate(multiplier[1])
		if okOver && okUnder {
			c.effective = c.nominal * over / under
		}
	}
	if v, ok := rate(param("tickRate")); ok {
		c.ticks = v
	}
	return c
}

// rate parses a whole number from 1.
func rate(s string) (float64, bool) {
	v, err := strconv.ParseUint(strings.TrimSpace(s), 10, 32)
	return float64(v), err == nil && v > 0
}

// time parses a time expression, in milliseconds: a clock time or an offset with
// its unit. Real files also leave out the hours, or the unit of seconds, and
// write a comma for the dot, or a semicolon before frames.
func (c *ttmlClock) time(s string) (ms int64, ok bool) {
	s = strings.Trim(s, " \t\r\n")
	v, rest, ok := whole(s)
	if !ok {
		return 0, false
	}
	if strings.HasPrefix(rest, ":") {
		return c.clockTime(v, rest)
	}
	part, unit, ok := fraction(rest)
	if !ok {
		return 0, false
	}
	v += part
	switch unit {
	case "h":
		v *= 3600
	case "m":
		v *= 60
	case "s", "":
	case "ms":
		v /= 1000
	case "f":
		v /= c.effective
	case "t":
		v /= c.ticks
	default:
		return 0, false
	}
	return millis(v), true
}

// clockTime parses what follows the first number of a clock time: H:MM:SS with a
// fraction, H:MM:SS:FF with parts of a frame, or M:SS with a fraction.
func (c *ttmlClock) clockTime(first float64, s string) (ms int64, ok bool) {
	numbers, n := [4]float64{first}, 1
	for ; n < len(numbers) && s != "" && (s[0] == ':' || n == 3 && s[0] == ';'); n++ {
		if numbers[n], s, ok = whole(s[1:]); !ok {
			return 0, false
		}
	}
	hour, minute, sec, frame := numbers[0], numbers[1], numbers[2], numbers[3]
	if n == 2 {
		hour, minute, sec = 0, first, minute
	}
	if n > 2 && minute > 59 || sec > 60 {
		return 0, false
	}
	if n == 4 || c.smpte && s == "" {
		if s != "" && s[0] == '.' {
			var part float64
			if part, s, ok = whole(s[1:]); !ok {
				return 0, false
			}
			frame += part / c.sub
		}
		return millis(c.frames(hour, minute, sec, frame)), s == ""
	}
	part, rest, ok := fraction(s)
	return millis(hour*3600 + minute*60 + sec + part), ok && rest == ""
}

// frames returns the seconds of a clock time with frames (W3C TTML2, I.2 for
// SMPTE time).
func (c *ttmlClock) frames(hour, minute, sec, frame float64) float64 {
	clock := hour*3600 + minute*60 + sec
	if !c.smpte {
		return clock + frame/c.effective
	}
	dropped := 0.0
	switch c.drop {
	case "dropNTSC":
		dropped = 2 * (hour*54 + minute - math.Floor(minute/10))
	case "dropPAL":
		dropped = 4 * (hour*27 + math.Floor(minute/2) - math.Floor(minute/20))
	}
	return (clock*c.nominal + frame - dropped) / c.effective
}

// millis rounds seconds to milliseconds within the clock.
func millis(sec float64) int64 { return int64(math.Round(min(sec*1000, maxTime))) }

// whole parses the digits that s begins with.
func whole(s string) (v float64, rest string, ok bool) {
	n := 0
	for ; n < len(s) && isDigit(s[n]); n++ {
		v = min(v*10+float64(s[n]-'0'), maxTime)
	}
	return v, s[n:], n > 0
}

// fraction parses the decimals that s may begin with.
func fraction(s string) (v float64, rest string, ok bool) {
	if s == "" || s[0] != '.' && s[0] != ',' {
		return 0, s, true
	}
	n, scale := 1, 1.0
	for ; n < len(s) && isDigit(s[n]); n++ {
		if scale < 1e12 { // what comes after has no weight
			v, scale = v*10+float64(s[n]-'0'), scale*10
		}
	}
	return v / scale, s[n:], n > 1
}
