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

// Move is a change of state of an extraction and its claims, to a state that is no end.
type Move struct {
	To lifecycle.State
	// Retry counts the attempt that has failed.
	Retry bool
	// Waits notes that the work waits for a passing fault, which Why names, from now on. Any
	// other move ends the note.
	Waits bool
	// Why is the LastError from now on; nil: it stays.
	Why *transcript.LastError
}

// End is how claims end.
type End struct {
	Status       transcript.JobStatus  // success, failed or cancelled
	Error        *transcript.Error     // with failed
	LastError    *transcript.LastError // with failed
	TranscriptID string                // with success
	// Cached and Stale go with success: the text was there, or has expired.
	Cached, Stale bool
	// Via is a state that the claims pass on the way to the end, with an event of its own;
	// the zero value: there is none.
	Via lifecycle.State
	// Metadata is what the platform has told about the content meanwhile; nil: nothing.
	Metadata *transcript.Metadata
}

// way is the states from a state to the end. Failed and cancelled claims keep their stage.
func (end End) way(from lifecycle.State) (way []lifecycle.State) {
	if end.Via != (lifecycle.State{}) {
		way = append(way, end.Via)
	}
	if end.Status == transcript.JobSuccess {
		from.Stage = transcript.StageDone
	}
	return append(way, lifecycle.State{Status: end.Status, Stage: from.Stage})
}

// Move takes an extraction and all its running claims to another state. Each claim gets its
// next sequence and an event. Watchers of the claims wake after the commit. A move to an end, or a
// move that the transition table does not have, is an error and changes nothing. This transaction must have read the extraction with Lock, or have
// inserted it. Move updates e.
func (w ExtractionsTx) Move(ctx context.Context, e *Extraction, m Move) error {
	if m.To.Status.Terminal() {
		return fmt.Errorf("store: moving extraction %s: %s is an end", e.ID, m.To.Status)
	}
	claims, err := w.tx.Jobs.LockRunning(ctx, e.ID)
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
		next.WaitingSince = nil // the fault has passed
	}
	for i := range claims {
		claims[i].LastError = next.LastError
		if err := claims[i].move(m.To, next.Attempt, now); err != nil {
			return err
		}
	}
	if err := w.save(ctx, e, next, now); err != nil {
		return err
	}
	return w.tx.Jobs.saveMoved(ctx, claims, claims)
}

// End ends running claims on an extraction. If no other claim on the extraction runs,
// End ends the extraction too, and over is true. Events and watchers work as in Move;
// watchers of the extraction wake if it ends. This transaction must have read the extraction
// with Lock, or have inserted it. End updates e and the claims. A claim that has moved since it
// was read is ErrNotFound; a claim on another extraction is an error. The row of an ended claim
// holds no reservation: the caller settles what Job.Reserved still says.
func (w ExtractionsTx) End(ctx context.Context, e *Extraction, claims []Job, end End) (over bool, err error) {
	if !end.Status.Terminal() {
		return false, fmt.Errorf("store: ending extraction %s: %s is no end", e.ID, end.Status)
	}
	now := sqldb.Moment(time.Now())
	var passed []Job // the claims in each state on the way
	for i := range claims {
		j := &claims[i]
		if j.ExtractionID != e.ID {
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
	if err := w.tx.Jobs.saveMoved(ctx, claims, passed); err != nil {
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

// save writes an extraction that has moved. Its condition catches one that was read without a lock.
func (w ExtractionsTx) save(ctx context.Context, e *Extraction, next Extraction, now time.Time, columns ...string) error {
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

// mayMove is the error of a move that the transition table does not have.
func mayMove(from, to lifecycle.State) error {
	if !lifecycle.CanMove(from, to) {
		return fmt.Errorf("no move from %s/%s to %s/%s", from.Status, from.Stage, to.Status, to.Stage)
	}
	return nil
}

// SetProgress notes the progress of recognition for every running claim of the extraction,
// and wakes their watchers. It ignores a progress smaller than the noted progress. nil
// removes the progress.
func (w JobsTx) SetProgress(ctx context.Context, extractionID string, p *transcript.Progress) error {
	claims, err := w.LockRunning(ctx, extractionID)
	if err != nil {
		return err
	}
	var ids []string
	for _, j := range claims {
		w.tx.touch(j.ID) // a chunk may be done that brings the share no further than another process has told
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
	return wrap("progress of extraction "+extractionID, err)
}

// LockRunning returns the running claims of an extraction, locked in the one
// order that all transactions follow.
func (w JobsTx) LockRunning(ctx context.Context, extractionID string) ([]Job, error) {
	var claims []Job
	q := w.db.NewSelect().Model(&claims).
		Where("extraction_id = ?", extractionID).
		Where(running).
		Order("id")
	err := w.tx.sql.ForUpdate(q).Scan(ctx)
	return claims, wrap("claims on extraction "+extractionID, err)
}

// move is the move of an extraction.
func (e *Extraction) move(to lifecycle.State) error {
	if err := mayMove(e.State, to); err != nil {
		return fmt.Errorf("store: extraction %s: %w", e.ID, err)
	}
	e.State = to
	return nil
}

// move is the move of one claim.
func (j *Job) move(to lifecycle.State, attempt int, now time.Time) error {
	if err := mayMove(j.State, to); err != nil {
		return fmt.Errorf("store: job %s: %w", j.ID, err)
	}
	j.State, j.Sequence, j.Attempt, j.UpdatedAt = to, j.Sequence+1, attempt, now
	return nil
}

// saveMoved writes claims that have moved, all by as many transitions. passed are the claims
// after each transition. An ended claim has reserved nothing.
func (w JobsTx) saveMoved(ctx context.Context, claims, passed []Job) error {
	for i := range claims {
		row := claims[i]
		if row.EndedAt != nil {
			row.Reserved = Allowance{}
		}
		res, err := w.db.NewUpdate().Model(&row).
			Column("status", "stage", "sequence", "attempt", "metadata_status", "last_error", "error", "transcript_id",
				"cached", "stale", "reserved_transcripts", "reserved_minutes", "updated_at", "ended_at").
			Where("id = ? AND sequence = ?", row.ID, row.Sequence-len(passed)/len(claims)).
			Exec(ctx)
		if err := mustAffect("move job "+row.ID, res, err); err != nil {
			return err
		}
	}
	return w.record(ctx, passed)
}
