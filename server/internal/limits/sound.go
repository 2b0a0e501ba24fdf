package limits

import (
	"math"
	"time"
)

// Sound is the known length of an extraction's sound.
type Sound struct {
	// Least is the length that limits and prices use. It is rounded up: an unknown length
	// still takes a minute of an allowance.
	Least time.Duration
	// Said is the length that the platform says, if the sound was measured only up to
	// the longest permitted length.
	Said time.Duration
}

// Lasting is a sound with a measured length.
func Lasting(d time.Duration) Sound { return Sound{Least: d} }

// Minutes are the minutes of an allowance that the sound takes, begun minutes included.
func (x Sound) Minutes() int64 { return int64((x.Least + time.Minute - 1) / time.Minute) }

// Seconds is the length for people.
func (x Sound) Seconds() int { return int((max(x.Least, x.Said) + time.Second - 1) / time.Second) }

// Unmeasured is a sound of unknown length.
var Unmeasured = Lasting(time.Nanosecond)

// Claimed is a sound with the length that a platform says; 0 means that the platform
// says no length.
func Claimed(seconds float64) Sound {
	if !(seconds > 0) { // NaN neither
		return Unmeasured
	}
	return Lasting(time.Duration(min(seconds, math.MaxInt32) * float64(time.Second)))
}
