package db

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/lifecycle"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Move is a change of the state of work and its jobs to a state that is not an end.
type Move struct {
	To lifecycle.State
	// Retry counts the failed attempt.
	Retry bool
	// Waits records that the work now waits for a temporary fault, which Why describes. Any
	// other move clears the record.
	Waits bool
	// Why is the new LastError; nil keeps the old one.
	Why *transcript.LastError
}

// End describes the end of jobs.
type End struct {
	Status       transcript.JobStatus  // success, failed or cancelled
	Error        *transcript.Error     // with failed
	LastError    *transcript.LastError // with failed
	TranscriptID string                // with success
	// Cached and Stale belong to success: the text was in the cache, or has expired.
	Cached, Stale bool
	// Via is a state that the jobs pass on the way to the end, with its own event; the zero
	// value means none.
	Via lifecycle.State
	// Metadata is what the platform has returned about the content meanwhile; nil means nothing.
	Metadata *transcript.Metadata
}

// way returns the states from a state to the end. Failed and cancelled jobs keep their stage.
func (end End) way(from lifecycle.State) (way []lifecycle.State) {
	if end.Via != (lifecycle.State{}) {
		way = append(way, end.Via)
	}
	if end.Status == transcript.JobSuccess {
		from.Stage = transcript.StageDone
	}
	return append(way, lifecycle.State{Status: end.Status, Stage: from.Stage})
}

// Move changes the state of a piece of work and of all its running jobs. Each job gets its next
// sequence and an event. Watchers of the jobs wake after the commit. A move to an end, or a move
// that is not in the transition table, is an error and changes nothing. This transaction must
// have read the work with Lock, or have inserted it. Move updates e.
func (w WorksTx) Move(ctx context.Context, e *Work, m Move) error {
	if m.To.Status.Terminal() {
		return fmt.Errorf("store: moving extraction %s: %s is an end", e.ID, m.To.Status)
	}
	jobs, err := w.tx.Jobs.LockRunning(ctx, e.ID)
	if err != nil {
		return err
	}
	next, now := *e, sqldb.Moment(time.Now())
	if err := next.move(m.To); err != nil {
		return err
	}
	if m.Retry {
		next.Attempt++
	}
	if m.Why != nil {
		next.LastError = m.Why
	}
	switch {
	case m.Waits:
		next.WaitingSince = cmp.Or(e.WaitingSince, new(sqldb.Moment(m.Why.At.Time)))
	case e.State.Status == transcript.JobProcessing && m.To.Stage != transcript.StageQueued:
		next.WaitingSince = nil // the fault is over
	}
	for i := range jobs {
		jobs[i].LastError = next.LastError
		if err := jobs[i].move(m.To, next.Attempt, now); err != nil {
			return err
		}
	}
	if err := w.save(ctx, e, next, now); err != nil {
		return err
	}
	return w.tx.Jobs.saveMoved(ctx, jobs, jobs)
}

// End ends running jobs of work. If no other job of the work runs, End ends the work too, and over
// is true. Events and watchers work as in Move; watchers of the work wake if it ends. This
// transaction must have read the work with Lock, or have inserted it. End updates e and the jobs.
// If a job has changed since it was read, the error is ErrNotFound. A job of other work is an
// error. The row of an ended job has no reservation: the caller settles the amount in Job.Reserved.
func (w WorksTx) End(ctx context.Context, e *Work, jobs []Job, end End) (over bool, err error) {
	if !end.Status.Terminal() {
		return false, fmt.Errorf("store: ending extraction %s: %s is no end", e.ID, end.Status)
	}
	now := sqldb.Moment(time.Now())
	var passed []Job // the jobs in each state on the way
	for i := range jobs {
		j := &jobs[i]
		if j.WorkID != e.ID {
			return false, fmt.Errorf("store: ending extraction %s: job %s is on another", e.ID, j.ID)
		}
		if end.Metadata != nil {
			j.MetadataStatus = end.Metadata.Status()
		}
		if end.Status != transcript.JobCancelled {
			j.LastError = end.LastError
		}
		for _, to := range end.way(j.State) {
			if err := j.move(to, j.Attempt, now); err != nil {
				return false, err
			}
			passed = append(passed, *j)
		}
		j.EndedAt, j.Error, j.TranscriptID, j.Cached, j.Stale = &now, end.Error, end.TranscriptID, end.Cached, end.Stale
	}
	if err := w.tx.Jobs.saveMoved(ctx, jobs, passed); err != nil {
		return false, err
	}
	wanted, err := w.db.NewSelect().Model((*Job)(nil)).Where("extraction_id = ?", e.ID).Where(running).Exists(ctx)
	if err != nil || wanted {
		return false, wrap("claims on extraction "+e.ID, err)
	}
	next := *e
	next.WaitingSince = nil
	if end.Metadata != nil {
		next.Metadata = Clean(*end.Metadata)
	}
	for _, to := range end.way(e.State) {
		if err := next.move(to); err != nil {
			return false, err
		}
	}
	w.tx.touch(e.ID)
	return true, w.save(ctx, e, next, now, "metadata")
}

// save writes a piece of work that has moved. Its condition detects work that was read without a
// lock.
func (w WorksTx) save(ctx context.Context, e *Work, next Work, now time.Time, columns ...string) error {
	next.UpdatedAt, next.MovedAt = now, &now
	res, err := w.db.NewUpdate().Model(&next).
		Column("status", "stage", "attempt", "waiting_since", "last_error", "moved_at", "updated_at").Column(columns...).
		WherePK().
		Where("status = ? AND stage = ?", e.State.Status, e.State.Stage).
		Exec(ctx)
	if err := mustAffect("move extraction "+e.ID, res, err); err != nil {
		return err
	}
	*e = next
	return nil
}

// mayMove returns an error for a move that is not in the transition table.
func mayMove(from, to lifecycle.State) error {
	if !lifecycle.CanMove(from, to) {
		return fmt.Errorf("no move from %s/%s to %s/%s", from.Status, from.Stage, to.Status, to.Stage)
	}
	return nil
}

// SetProgress stores the progress of recognition in every running job of the work, and wakes their
// watchers. It ignores a progress smaller than the stored one. nil removes the progress.
func (w JobsTx) SetProgress(ctx context.Context, workID string, p *transcript.Progress) error {
	jobs, err := w.LockRunning(ctx, workID)
	if err != nil {
		return err
	}
	var ids []string
	for _, j := range jobs {
		w.tx.touch(j.ID) // another process may already have reported as much progress as a finished chunk gives
		if p == nil || j.Progress == nil || p.Fraction >= j.Progress.Fraction {
			ids = append(ids, j.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	_, err = w.db.NewUpdate().Model(&Job{Progress: p, UpdatedAt: sqldb.Moment(time.Now())}).
		Column("progress", "updated_at").
		Where("id IN (?)", bun.List(ids)).
		Exec(ctx)
	return wrap("progress of extraction "+workID, err)
}

// LockRunning returns the running jobs of work, locked in the one
// order that all transactions follow.
func (w JobsTx) LockRunning(ctx context.Context, workID string) ([]Job, error) {
	var jobs []Job
	q := w.db.NewSelect().Model(&jobs).
		Where("extraction_id = ?", workID).
		Where(running).
		Order("id")
	err := w.tx.sql.ForUpdate(q).Scan(ctx)
	return jobs, wrap("claims on extraction "+workID, err)
}

// move is the move of work.
func (e *Work) move(to lifecycle.State) error {
	if err := mayMove(e.State, to); err != nil {
		return fmt.Errorf("store: extraction %s: %w", e.ID, err)
	}
	e.State = to
	return nil
}

// move is the move of one job.
func (j *Job) move(to lifecycle.State, attempt int, now time.Time) error {
	if err := mayMove(j.State, to); err != nil {
		return fmt.Errorf("store: job %s: %w", j.ID, err)
	}
	j.State, j.Sequence, j.Attempt, j.UpdatedAt = to, j.Sequence+1, attempt, now
	return nil
}

// saveMoved writes jobs that have moved by the same number of transitions. passed are the
// jobs after each transition. An ended job has no reservation.
func (w JobsTx) saveMoved(ctx context.Context, jobs, passed []Job) error {
	for i := range jobs {
		row := jobs[i]
		if row.EndedAt != nil {
			row.Reserved = Allowance{}
		}
		res, err := w.db.NewUpdate().Model(&row).
			Column("status", "stage", "sequence", "attempt", "metadata_status", "last_error", "error", "transcript_id",
				"cached", "stale", "reserved_transcripts", "reserved_minutes", "updated_at", "ended_at").
			Where("id = ? AND sequence = ?", row.ID, row.Sequence-len(passed)/len(jobs)).
			Exec(ctx)
		if err := mustAffect("move job "+row.ID, res, err); err != nil {
			return err
		}
	}
	return w.record(ctx, passed)
}
