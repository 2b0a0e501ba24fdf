// Package pace configures how often a service visits the platforms.
//
//	server.Config{Pace: pace.Config{Rate: pace.Rate{PerMinute: 10}}}
//
// A visit is one call of a caption source, of an audio source, of a list source or of
// discovery. Describing videos counts as one visit for each video. Platforms limit
// visitors by their address, so a rate applies to each exit: all visits to a platform
// through one exit share one rate, and ten exits permit ten times as many visits. A job
// waits if no exit permits its visit yet. While a platform blocks an exit, the service
// does not visit the platform through that exit.
//
// A rate applies to one process. A platform sees the sum of the visits of all processes
// with the same address.
package pace

import (
	"math"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Config limits the visits to platforms through each exit. The zero value suits public
// sites: the largest site allows a guest to visit about 300 items an hour.
type Config struct {
	// Rate applies to each platform that Rates does not name.
	Rate Rate
	// Rates apply to single platforms.
	Rates map[transcript.Platform]Rate
}

// Rate limits the visits to a platform through one exit: in any period there are at
// most Burst visits, plus PerMinute for each minute. A second source for the same
// answer, and a request for several videos, may exceed the rate; later visits then wait
// longer.
type Rate struct {
	PerMinute float64 // visits in a minute; 0 means 5
	Burst     int     // visits at the same time after a pause; 0 means 5
}

// Unlimited returns the rate for a site without a limit, such as the operator's own. If
// such a site blocks the service, visits still pause.
func Unlimited() Rate { return Rate{PerMinute: math.Inf(1)} }
