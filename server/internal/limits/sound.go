package limits

import (
	"math"
	"time"
)

// Sound is the known length of work's sound.
type Sound struct {
	// Least is the length for limits and prices. It is rounded up: a sound of unknown length
	// still takes one minute of an allowance.
	Least time.Duration
	// Said is the length that the platform states. It is set if the service measured the sound
	// only up to the longest permitted length.
	Said time.Duration
}

// Lasting returns a sound with the measured length d.
func Lasting(d time.Duration) Sound { return Sound{Least: d} }

// Minutes returns the minutes of an allowance that the sound takes. A started minute counts as
// a whole one.
func (x Sound) Minutes() int64 { return int64((x.Least + time.Minute - 1) / time.Minute) }

// Seconds returns the length to show to a person, rounded up.
func (x Sound) Seconds() int { return int((max(x.Least, x.Said) + time.Second - 1) / time.Second) }

// Unmeasured is a sound of unknown length.
var Unmeasured = Lasting(time.Nanosecond)

// Claimed returns a sound with the length that a platform states. 0 means that the platform
// states no length.
func Claimed(seconds float64) Sound {
	if !(seconds > 0) { // also true for NaN
		return Unmeasured
	}
	return Lasting(time.Duration(min(seconds, math.MaxInt32) * float64(time.Second)))
}
