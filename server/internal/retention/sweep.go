// Package retention removes data that the service no longer keeps: work that ended long ago, data
// that the plan of an account does not keep, and all data of a removed account.
package retention

import (
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/recordings"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/server/internal/tables"
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

// Sweep removes expired data.
type Sweep struct {
	Store    *db.Store
	Keep     work.Retention
	Tables   []tables.Table // of all features
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
	return Old(ctx, s.Store, s.Tables, tables.Kept{Jobs: s.Keep.Jobs, Answers: s.Keep.Answers})
}

// Old removes data that no account needs: rows that their tables declare to be old, calls of hooks
// that no process has made, expired recordings, and blobs that are left over. It works in portions
// that do not block other writers, and records the size of the remaining blobs: see
// db.Store.Status.
func Old(ctx context.Context, s *db.Store, all []tables.Table, kept tables.Kept) error {
	ctx = db.Unhurried(ctx)
	now, err := s.Now(ctx)
	if err != nil {
		return err
	}
	for _, t := range all {
		if t.Old == nil {
			continue
		}
		var age time.Duration
		if t.Old.Age != nil {
			age = t.Old.Age(kept)
		}
		if err := s.SweepTable(ctx, t, t.Old.Rows, s.SQL().Ago(age), sqldb.Moment(now.Add(-age))); err != nil {
			return err
		}
	}
	for _, hook := range []db.Hook{db.JobHook, db.BatchHook} {
		if err := s.Queue.SweepUntaken(ctx, string(hook), now.Add(-kept.Jobs)); err != nil {
			return err
		}
	}
	if err := recordings.Sweep(ctx, s, now); err != nil {
		return err
	}
	return sweepBlobs(ctx, s)
}
