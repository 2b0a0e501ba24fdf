package service

import (
	"cmp"
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/work"
)

// PauseBriefly lets a test of all attempts end soon.
func (c *Config) PauseBriefly() {
	c.pauses = cmp.Or(c.pauses, attempt.Default())
	for i := range c.pauses.After {
		c.pauses.After[i] = time.Duration(i+1) * time.Millisecond
	}
}

// WaitNoLonger lets a platform that still blocks after the first pause be the
// end of a job.
func (c *Config) WaitNoLonger() {
	c.pauses = cmp.Or(c.pauses, attempt.Default())
	c.pauses.LastWait = time.Nanosecond
}

// OnEnd has a test told of all jobs that end, before the features are told.
func (c *Config) OnEnd(f func(ended []db.Job)) {
	c.ended = append(c.ended, func(_ context.Context, _ *db.Tx, told *intake.Ended) error { f(told.Jobs); return nil })
}

// HearAfter sets how long an upload arrives before its chunks are recognized.
func (c *Config) HearAfter(d time.Duration) { c.hearAfter = d }

// AudioStays sets how long the audio of work stays after its end, and the time between
// two looks for such audio.
func (c *Config) AudioStays(stays, look time.Duration) {
	c.Retention = cmp.Or(c.Retention, work.DefaultRetention())
	c.Retention.Audio, c.audioLook = stays, look
}
