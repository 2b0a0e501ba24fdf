package intake

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/audio"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/lifecycle"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/step"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Only this file changes the states of work and its jobs. A job begins in begin, advances in Enter
// and Advance, goes back in GoBack, and ends in settle. A test reads the source and checks this.

// Moves moves work and the jobs on it from state to state. Every method that takes a transaction
// must run inside a Change. A Moves is safe for concurrent use.
type Moves struct {
	store     *db.Store
	metrics   *metrics.Metrics
	listeners Listeners
}

// Listeners are told about jobs that end, in the transaction that ends the jobs.
type Listeners struct {
	// Ended are called one after another. PayUp is among them.
	Ended []Listener
	// Ending is called before a transaction ends several jobs one after another. It locks the rows
	// that the ends change, before the transaction changes the usage of accounts.
	Ending func(ctx context.Context, tx *db.Tx, jobs []db.Job) error
}

// begin makes an account's job on a piece of work; the job takes over the state of the
// work.
func (c *Moves) begin(ctx context.Context, tx *db.Tx, e *db.Work, o order) (*db.Job, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	now := time.Now()
	job := &db.Job{
		ID:             id.String(),
		Account:        o.Account,
		WorkID:         e.ID,
		State:          e.State,
		Sequence:       1,
		Attempt:        e.Attempt,
		MetadataStatus: view.StatusOf(e),
		LastError:      e.LastError,
		Format:         o.View.Format,
		OmitTimestamp:  o.View.OmitTimestamp,
		SendMetadata:   o.View.SendMetadata,
		Limits:         o.limits,
		Trace:          o.trace,
		Reserved:       db.Allowance{Transcripts: 1}, // see reserve
		Asked:          o.item == nil && !o.followed,
		Batched:        o.item != nil,
		CreatedAt:      now,
		UpdatedAt:      now,
	}
	tx.AfterCommit(func() { c.metrics.JobAccepted(e.Platform) })
	return job, tx.Jobs.Insert(ctx, job)
}

// Enter moves work to the state of a step, unless the work is already there.
func (c *Moves) Enter(ctx context.Context, tx *db.Tx, e *db.Work, t step.Held) error {
	way := step.Way(t.Row.Kind)
	return c.Advance(ctx, tx, e, way[slices.Index(way, e.State)+1:]...)
}

// Advance moves work on from state to state.
func (c *Moves) Advance(ctx context.Context, tx *db.Tx, e *db.Work, through ...lifecycle.State) error {
	for _, to := range through {
		if err := c.move(ctx, tx, e, db.Move{To: to}); err != nil {
			return err
		}
	}
	return nil
}

// move makes one move, and counts the time until the move.
func (c *Moves) move(ctx context.Context, tx *db.Tx, e *db.Work, m db.Move) error {
	before := *e
	if err := tx.Works.Move(ctx, e, m); err != nil {
		return err
	}
	c.countLeft(tx, &before, e)
	return nil
}

// Setback is a way for work to go back.
type Setback int

// The ways to go back.
const (
	Interrupted Setback = iota // the attempt does not count
	Attempted                  // the attempt has failed and counts
	Blocked                    // it waits for a temporary fault; the attempt does not count
)

// GoBack returns work to the state in which its stage began to wait. why is shown to the owners of
// its jobs; nil means that nothing has failed.
func (c *Moves) GoBack(ctx context.Context, tx *db.Tx, e *db.Work, how Setback, why *transcript.LastError) error {
	if e.State.Status == transcript.JobProcessing {
		return c.move(ctx, tx, e, db.Move{To: step.WaitingFor(e.State), Retry: how == Attempted, Waits: how == Blocked, Why: why})
	}
	if how == Blocked { // it already waits, but the reason was not known
		return tx.Works.SetWaiting(ctx, e, why)
	}
	return nil
}

// settle ends running jobs of work that the transaction has locked: all of them, or only
// some. With the last job the work ends in the same way. settle also writes all
// consequences of a job's end, in the same transaction.
func (c *Moves) settle(ctx context.Context, tx *db.Tx, e *db.Work, jobs []db.Job, end db.End) error {
	heard, err := heard(ctx, tx, e.ID, end)
	if err != nil {
		return err
	}
	if end.Error != nil {
		end.LastError = attempt.Last(end.Error, e.Attempt, time.Now())
	}
	before := *e
	over, err := tx.Works.End(ctx, e, jobs, end)
	if err != nil {
		return err
	}
	c.countEnds(tx, jobs, end)
	if err := leavePlace(ctx, tx, e, jobs, over); err != nil {
		return err
	}
	if err := tx.Library.EndJobs(ctx, e, jobs, end); err != nil {
		return err
	}
	if over {
		c.countLeft(tx, &before, e)
		if end.Via != (lifecycle.State{}) {
			tx.AfterCommit(func() { c.metrics.StageLeft(end.Via.Stage, 0) })
		}
		if err := tx.Works.Clear(ctx, e.ID); err != nil {
			return err
		}
	}
	told := &Ended{Work: e, Over: over, Jobs: jobs, End: end, heard: heard}
	for _, tell := range c.listeners.Ended {
		if err := tell(ctx, tx, told); err != nil {
			return err
		}
	}
	return nil
}

// Ended is passed to Listeners.
type Ended struct {
	Work *db.Work
	Over bool     // Work ends with the jobs
	Jobs []db.Job // that have ended, all in the same way
	db.End
	// ForNobody are the ids of jobs that pay nothing, because no batch uses their results. The
	// listener of the batches sets it.
	ForNobody []string

	heard time.Duration // of the sound
}

// Listener is told about jobs that end, in the transaction that ends the jobs. If it returns an
// error, the jobs do not end.
type Listener func(ctx context.Context, tx *db.Tx, told *Ended) error

// IDs are the ids of the jobs.
func (e *Ended) IDs() []string {
	ids := make([]string, len(e.Jobs))
	for i, job := range e.Jobs {
		ids[i] = job.ID
	}
	return ids
}

// SettleAll ends work with all its running jobs. The transaction has locked the work.
func (c *Moves) SettleAll(ctx context.Context, tx *db.Tx, e *db.Work, end db.End) error {
	jobs, err := tx.Jobs.LockRunning(ctx, e.ID)
	if err != nil {
		return err
	}
	return c.settle(ctx, tx, e, jobs, end)
}

// accountsOf returns the accounts of jobs.
func accountsOf(jobs []db.Job) []string {
	accounts := make([]string, len(jobs))
	for i, job := range jobs {
		accounts[i] = job.Account
	}
	return accounts
}

// KeepPrivate gives work to the account of one job on it, because the platform was read with a
// login of the operator. The other jobs go back to the queue with separate work: each account gets
// its own reading, or none.
func (c *Moves) KeepPrivate(ctx context.Context, tx *db.Tx, e *db.Work) error {
	if e.Owner != "" {
		return nil
	}
	jobs, err := tx.Jobs.LockRunning(ctx, e.ID)
	if err != nil || len(jobs) == 0 {
		return err
	}
	place, err := tx.Places.ByWork(ctx, e.ID)
	if err != nil {
		return err
	}
	seated := slices.IndexFunc(jobs, func(j db.Job) bool { return j.ID == place.JobID })
	rest, err := tx.Works.Divide(ctx, e, jobs, jobs[max(seated, 0)])
	if err != nil || rest == nil {
		return err
	}
	captions := rest.State == step.CaptionFetch
	if err := c.GoBack(ctx, tx, rest, Interrupted, nil); err != nil {
		return err
	}
	if captions {
		return tx.Queue.Enqueue(ctx, step.Captions{Work: rest.ID})
	}
	return tx.Queue.Enqueue(ctx, step.PrepareOf(rest))
}

// Serve gives a stored text to all jobs that wait for the work.
func (c *Moves) Serve(ctx context.Context, tx *db.Tx, e *db.Work, end db.End) error {
	end.Status, end.Via = transcript.JobSuccess, step.Publishing
	return c.SettleAll(ctx, tx, e, end)
}

// Fail ends all jobs of some work with the error of the work.
func (c *Moves) Fail(ctx context.Context, tx *db.Tx, e *db.Work, why *transcript.Error) error {
	return c.SettleAll(ctx, tx, e, db.End{Status: transcript.JobFailed, Error: why})
}

// atWork reports whether a piece of work is in the state in which a run of a step works
// on it.
func atWork(e *db.Work, w queue.Row) bool {
	way := step.Way(w.Kind)
	return len(way) > 0 && e.State == way[len(way)-1]
}

// TakeBack moves work back to the beginning of the lost step, if one of the runs was at the
// current step of the work. The other runs had already ended, except for the record in the
// queue. If the process has died, the attempt counts. Work that was lost too often is not
// tried again, because it may be the cause of the dying processes.
func (c *Moves) TakeBack(ctx context.Context, tx *db.Tx, e *db.Work, runs []queue.Row, died bool) error {
	if !slices.ContainsFunc(runs, func(w queue.Row) bool { return atWork(e, w) }) {
		return nil
	}
	switch {
	case !died:
		return c.GoBack(ctx, tx, e, Interrupted, nil)
	case e.Attempt >= attempt.MaxAttempts:
		return c.Fail(ctx, tx, e, attempt.OfJob(transcript.Errorf(transcript.Internal, "The work was interrupted too often.")))
	}
	why := transcript.Errorf(transcript.Internal, "The process of the service that did the work has ended.")
	return c.GoBack(ctx, tx, e, Attempted, attempt.Last(why, e.Attempt, time.Now()))
}

// Change changes work that its transaction has locked.
type Change func(ctx context.Context, tx *db.Tx, e *db.Work) error

// Change runs fn in a transaction that has locked some work; fn gets nil if there is none. If fn
// ends the work, its audio remains for some time.
func (c *Moves) Change(ctx context.Context, work string, fn Change) error {
	return c.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		e, err := tx.Works.Lock(ctx, work)
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return err
		}
		hadEnded := e != nil && e.State.Status.Terminal()
		if err := fn(ctx, tx, e); err != nil || e == nil || hadEnded || !e.State.Status.Terminal() || !audio.MayHave(e) {
			return err
		}
		return tx.Works.LeaveAudio(ctx, e.ID)
	})
}

// A change is counted after its transaction is committed, because the transaction may be
// rolled back or run twice.

// countLeft counts that a piece of work has left its previous stage.
func (c *Moves) countLeft(tx *db.Tx, before, now *db.Work) {
	if before.MovedAt == nil {
		return // a process of an earlier version has begun it
	}
	took := now.MovedAt.Sub(*before.MovedAt)
	tx.AfterCommit(func() { c.metrics.StageLeft(before.State.Stage, took) })
}

// countEnds counts jobs that have ended.
func (c *Moves) countEnds(tx *db.Tx, jobs []db.Job, end db.End) {
	var code transcript.Code
	if end.Error != nil {
		code = end.Error.Code
	}
	tx.AfterCommit(func() {
		for _, job := range jobs {
			c.metrics.JobEnded(end.Status, code, job.EndedAt.Sub(job.CreatedAt))
			switch {
			case end.Stale:
				c.metrics.ServedStale(metrics.ForJob)
			case end.Cached:
				c.metrics.CacheAsked(metrics.ForJob, true)
			}
		}
	})
}
