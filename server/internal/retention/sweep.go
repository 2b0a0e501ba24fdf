// Package retention removes what the service no longer keeps: work that ended long ago, what the plan
// of an account does not keep, and everything that belongs to a removed account.
package retention

import (
	"context"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/work"
)

// Queue is the queue of the sweep.
const Queue = "house"

// SweepStep is the step of the sweep.
type SweepStep struct{}

// Kind is the name of the step in the queue.
func (SweepStep) Kind() string { return "sweep" }

// Queue is the queue of the step.
func (SweepStep) Queue() string { return Queue }

// Sweep removes what is past its time.
type Sweep struct {
	Store    *db.Store
	Keep     work.Retention
	Removals *Removals
	Expiry   *Expiry
}

// Periodic is the step of the sweep, and how often the queue runs it.
func (s Sweep) Periodic() queue.Periodic {
	return queue.Periodic{Step: SweepStep{}, Every: s.Keep.Every}
}

// Run is the work of the step.
func (s Sweep) Run(ctx context.Context, _ queue.Row, _ SweepStep) error {
	now, err := s.Store.Now(ctx)
	if err != nil {
		return err
	}
	if err := s.Removals.GoOn(ctx, now); err != nil {
		return err
	}
	if err := s.Expiry.Sweep(ctx, now); err != nil {
		return err
	}
	return s.Store.Sweep(ctx, now.Add(-s.Keep.Jobs), s.Keep.Answers)
}
