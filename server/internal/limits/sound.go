package limits

import (
	"math"
	"time"
)

// extent is how long the sound of an extraction is, as far as that is known.
type Sound struct {
	// least is what claims are judged by, and pay for. It is rounded up: a sound of
	// which nothing is known takes a minute of an allowance all the same.
	Least time.Duration
	// said is what it is said to be, where it has been measured only so far as somebody
	// may have it.
	Said time.Duration
}

func Lasting(d time.Duration) Sound { return Sound{Least: d} }

// minutes are what the sound takes of an allowance: each begun one.
func (x Sound) Minutes() int64 { return int64((x.Least + time.Minute - 1) / time.Minute) }

// seconds are its length for people.
func (x Sound) Seconds() int { return int((max(x.Least, x.Said) + time.Second - 1) / time.Second) }

// unmeasured is the extent of a sound whose length is not known.
var Unmeasured = Lasting(time.Nanosecond)

// claimed is the extent of a sound of which a platform says that it has so many
// seconds; 0: it does not.
func Claimed(seconds float64) Sound {
	if !(seconds > 0) { // NaN neither
		return Unmeasured
	}
	return Lasting(time.Duration(min(seconds, math.MaxInt32) * float64(time.Second)))
}
