package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Change is a move of the state machine.
type Change struct {
	To transcript.State // for failed and cancelled the stage is ignored: it stays
	// Retry counts the attempt that has failed.
	Retry bool
	// Error goes with failed, TranscriptID with success.
	Error        *transcript.Error
	TranscriptID string
	// Cached and Stale go with success: the text was there, or has expired.
	Cached, Stale bool
	// Waits notes that the work waits for what will pass, if that is news. Any move
	// on ends the note.
	Waits bool
}

// from returns the state that c leads to, or an error when the transition table
// (contract 3) does not have the move.
func (c Change) from(s transcript.State) (transcript.State, error) {
	to := c.To
	if to.Status == transcript.JobFailed || to.Status == transcript.JobCancelled {
		to.Stage = s.Stage
	}
	if !transcript.CanMove(s, to) {
		return s, fmt.Errorf("store: no move from %s/%s to %s/%s", s.Status, s.Stage, to.Status, to.Stage)
	}
	return to, nil
}

// Move takes an extraction and all its running claims to another state: each
// claim gets its next sequence and an event, watchers of the claims and of the
// extraction are woken after the commit. A move that the transition table does
// not have is an error and changes nothing. The given extraction must have been
// read in this transaction with LockExtraction or inserted by it; its State and
// Attempt are brought up to date.
func (tx *Tx) Move(ctx context.Context, e *Extraction, c Change) error {
	to, err := c.from(e.State)
	if err != nil {
		return err
	}
	claims, err := tx.LockClaims(ctx, e.ID)
	if err != nil {
		return err
	}
	attempt, waiting, now := e.Attempt, e.WaitingSince, moment(time.Now())
	if c.Retry {
		attempt++
	}
	switch {
	case c.Waits && waiting == nil:
		waiting = &now
	case !c.Waits && e.State.Status == transcript.JobProcessing && to.Stage != transcript.StageQueued:
		waiting = nil // what was waited for is there
	}
	for i := range claims {
		if err := claims[i].change(c, attempt, now); err != nil {
			return fmt.Errorf("job %s: %w", claims[i].ID, err)
		}
	}

	// The condition catches an extraction that was read without its lock.
	res, err := tx.db.NewUpdate().Model((*Extraction)(nil)).
		Set("status = ?, stage = ?, attempt = ?, waiting_since = ?, updated_at = ?", to.Status, to.Stage, attempt, waiting, now).
		Where("id = ? AND status = ? AND stage = ?", e.ID, e.State.Status, e.State.Stage).
		Exec(ctx)
	if err := mustAffect("move extraction "+e.ID, res, err); err != nil {
		return err
	}
	if err := tx.saveClaims(ctx, claims); err != nil {
		return err
	}
	e.State, e.Attempt, e.WaitingSince, e.UpdatedAt = to, attempt, waiting, now
	tx.touch(e.ID)
	return nil
}

// MoveJob takes a single claim to an end of its own (cancelled, failed) and
// leaves the extraction alone, but wakes its watchers too. The claim is brought
// up to date; one that has moved since it was read is ErrNotFound.
func (tx *Tx) MoveJob(ctx context.Context, j *Job, c Change) error {
	if c.To.Status != transcript.JobFailed && c.To.Status != transcript.JobCancelled {
		return fmt.Errorf("store: a claim alone cannot become %s", c.To.Status)
	}
	moved := *j
	if err := moved.change(c, j.Attempt, moment(time.Now())); err != nil {
		return fmt.Errorf("job %s: %w", j.ID, err)
	}
	if err := tx.saveClaims(ctx, []Job{moved}); err != nil {
		return err
	}
	*j = moved
	tx.touch(j.ExtractionID)
	return nil
}

// SetProgress notes how far recognition has come, for every running claim of
// the extraction, and wakes their watchers. A progress smaller than the noted
// one is ignored. nil takes it away.
func (tx *Tx) SetProgress(ctx context.Context, extractionID string, p *transcript.Progress) error {
	claims, err := tx.LockClaims(ctx, extractionID)
	if err != nil {
		return err
	}
	var ids []string
	for _, j := range claims {
		if p == nil || j.Progress == nil || p.Fraction >= j.Progress.Fraction {
			ids = append(ids, j.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	_, err = tx.db.NewUpdate().Model(&Job{Progress: p, UpdatedAt: moment(time.Now())}).
		Column("progress", "updated_at").
		Where("id IN (?)", bun.List(ids)).
		Exec(ctx)
	tx.touch(ids...)
	return wrap("progress of extraction "+extractionID, err)
}

// LockClaims returns the running claims of an extraction, locked in the one
// order that all transactions follow.
func (tx *Tx) LockClaims(ctx context.Context, extractionID string) ([]Job, error) {
	var claims []Job
	q := tx.db.NewSelect().Model(&claims).
		Where("extraction_id = ?", extractionID).
		Where(running).
		Order("id")
	err := tx.database.forUpdate(q).Scan(ctx)
	return claims, wrap("claims on extraction "+extractionID, err)
}

// change is the move of one claim.
func (j *Job) change(c Change, attempt int, now time.Time) error {
	to, err := c.from(j.State)
	if err != nil {
		return err
	}
	j.State, j.Sequence, j.Attempt, j.UpdatedAt = to, j.Sequence+1, attempt, now
	if to.Status.Terminal() {
		j.EndedAt, j.Error, j.TranscriptID = &now, c.Error, c.TranscriptID
		j.Cached, j.Stale = c.Cached, c.Stale
	}
	return nil
}

// saveClaims writes claims that have moved by one transition.
func (tx *Tx) saveClaims(ctx context.Context, claims []Job) error {
	for i := range claims {
		j := &claims[i]
		res, err := tx.db.NewUpdate().Model(j).
			Column("status", "stage", "sequence", "attempt", "error",
				"transcript_id", "cached", "stale", "updated_at", "ended_at").
			Where("id = ? AND sequence = ?", j.ID, j.Sequence-1).
			Exec(ctx)
		if err := mustAffect("move job "+j.ID, res, err); err != nil {
			return err
		}
	}
	return tx.record(ctx, claims)
}
