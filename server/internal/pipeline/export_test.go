package pipeline

import (
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// PauseBriefly lets a test of all attempts end soon.
func (c *Config) PauseBriefly() {
	for i := range c.pauses {
		c.pauses[i] = time.Duration(i+1) * time.Millisecond
	}
}

// WaitNoLonger lets a platform that still blocks after the first pause be the
// end of a job.
func (c *Config) WaitNoLonger() { c.lastWait = time.Nanosecond }

// PauseFor is how long it takes until the next attempt.
func PauseFor(e *db.Extraction, cause *transcript.Error) time.Duration {
	return (&Pipeline{cfg: Config{tuning: tuning{pauses: pauses()}}}).untilNextAttempt(e.Attempt, cause)
}

// WaitFor is how long a platform is left alone that blocks.
func WaitFor(e *db.Extraction, cause *transcript.Error) time.Duration {
	return (&Pipeline{cfg: Config{tuning: tuning{lastWait: lastWait}}}).untilNextLook(e.WaitingSince, cause, time.Now())
}

// OnSettle has a test told of all claims that settle ends.
func (c *Config) OnSettle(f func(ended []db.Job)) { c.settled = f }

// FailExpansion is the last attempt to find out what the items of a batch are.
func (p *Pipeline) FailExpansion(ctx context.Context, batch string, cause error) error {
	return p.expandFault(ctx, db.Work{}, expandArgs{Batch: batch, Failed: maxAttempts}, cause)
}

// RoundSeconds and UploadTitle are tested by themselves.
var (
	RoundSeconds = view.RoundSeconds
	UploadTitle  = uploadTitle
)

// TellSoon bounds how long a hook may take, and lets one that fails be called again
// at once.
func (c *Config) TellSoon(within time.Duration) {
	c.tellTime = within
	c.tellPause = func(int) time.Duration { return 0 }
}

// TellPause is how long to wait after the nth call of a hook that has failed.
var TellPause = tellPause
