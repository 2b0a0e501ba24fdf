// Package pace configures how often a service visits the platforms.
//
//	server.Config{Pace: pace.Config{Rate: pace.Rate{PerMinute: 10}}}
//
// A visit is one call of a caption source, of an audio source, of a list source or of
// discovery. Describing videos counts as one visit for each video. A platform judges by the
// address of its visitors, so a rate applies to each exit: all visits to a platform by one exit
// share one rate, and ten exits permit ten times the visits. A job whose visit would come too
// early by every exit waits. While a platform blocks an exit, the service makes no visits by it.
//
// A rate applies to one process. Processes behind one address share its reputation, and their
// rates add up.
package pace

import (
	"math"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Config bounds the visits to platforms by each exit. The zero value suits public sites: the largest of them
// lets a guest see about 300 contents an hour.
type Config struct {
	// Rate applies to each platform that Rates does not name.
	Rate Rate
	// Rates apply to single platforms.
	Rates map[transcript.Platform]Rate
}

// Rate bounds the visits to a platform by one exit: in any span of time there are at most Burst visits,
// plus PerMinute for each minute. The second of two sources that are asked for one answer, and a
// question for several videos, may come early; later visits then wait longer.
type Rate struct {
	PerMinute float64 // the visits of a minute; 0: 5
	Burst     int     // the visits that may be made at once after a rest; 0: 5
}

// Unlimited is the rate of a site without a limit, such as the operator's own. Its blocks still
// open circuits.
func Unlimited() Rate { return Rate{PerMinute: math.Inf(1)} }
