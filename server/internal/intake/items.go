package intake

import (
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/step"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Item is a content that a feature submits for an account, while no client waits for the answer.
type Item struct {
	Account   string
	Plan      account.Plan // the zero value means that the account has been checked
	Content   engine.Content
	Languages transcript.LanguageList
	Limits    db.Limits
	CacheTTL  time.Duration // the greatest age of a stored text that answers it
	Trace     string        // as of a db.Job
	Batched   *db.BatchItem // the item of a batch; nil for a follow
}

// Taken is the answer to the submission of an Item: a stored transcript, or a job.
type Taken struct {
	TranscriptID string
	Job          *db.Job
	Sound        bool // it needs recognition
}

// Take makes a submission of an item. It returns a function that accepts the submission in a
// transaction.
func (i *Intake) Take(ctx context.Context, item Item) func(context.Context, *db.Tx) (Taken, error) {
	a := allowed{
		Submission: Submission{Account: item.Account, Plan: item.Plan, Content: item.Content, Wish: Wish{Languages: item.Languages}},
		limits:     item.Limits, ttl: item.CacheTTL, trace: item.Trace, team: i.cluster.Team(ctx),
		item: item.Batched, followed: item.Batched == nil,
	}
	a.languages = a.narrow()
	o := order{a, a.subject("")}
	return func(ctx context.Context, tx *db.Tx) (Taken, error) {
		found, job, _, err := i.accept(ctx, tx, o)
		switch {
		case err != nil:
			return Taken{}, err
		case found != nil:
			return Taken{TranscriptID: found.ID}, nil
		}
		return Taken{Job: job, Sound: !o.captionsFirst() || step.BeyondCaptions(job.State)}, nil
	}
}

// CancelJobs cancels the jobs of work that which returns in the transaction.
func (i *Intake) CancelJobs(ctx context.Context, work string, which func(context.Context, *db.Tx) ([]db.Job, error)) error {
	return i.moves.Change(ctx, work, func(ctx context.Context, tx *db.Tx, e *db.Work) error {
		jobs, err := which(ctx, tx)
		if err != nil || len(jobs) == 0 {
			return err
		}
		return i.moves.settle(ctx, tx, e, jobs, db.End{Status: transcript.JobCancelled})
	})
}
