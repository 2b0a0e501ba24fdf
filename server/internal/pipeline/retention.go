package pipeline

import (
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/wordindex"
)

// Retention is how long what has ended is kept.
type Retention struct {
	Jobs     time.Duration // with their events and extractions, after their end
	Answers  time.Duration // of idempotency keys
	Finished time.Duration // rows of the queue
	// Audio is how long the audio of an extraction stays after its end: see db.ExtractionsTx.LeaveAudio.
	Audio time.Duration
	// Every is the time between two sweeps.
	Every time.Duration
	// Stranded is the time between two looks for work that stands in no queue.
	Stranded time.Duration
}

// DefaultRetention is that of every service.
func DefaultRetention() Retention {
	return Retention{Jobs: 7 * 24 * time.Hour, Answers: 24 * time.Hour, Finished: time.Hour, Audio: audioStays, Every: time.Hour, Stranded: strandedEvery}
}

const strandedEvery = 2 * time.Minute

type sweepArgs struct{}

func (sweepArgs) Kind() string  { return "sweep" }
func (sweepArgs) Queue() string { return queueHouse }

// sweep removes what is past its time.
func (p *processor) sweep(ctx context.Context, _ db.Work, _ sweepArgs) error {
	now, err := p.store.Now(ctx)
	if err != nil {
		return err
	}
	if err := p.removals.GoOn(ctx, now); err != nil {
		return err
	}
	if err := p.expiry.Sweep(ctx, now); err != nil {
		return err
	}
	return p.store.Sweep(ctx, now.Add(-p.cfg.Retention.Jobs), p.cfg.Retention.Answers)
}

// index binds the saved texts of an account into the index of its words, or removes the words of
// texts that have gone.
func (p *processor) index(ctx context.Context, _ db.Work, step db.IndexStep) error {
	if step.Gone {
		return p.store.PurgeTexts(ctx, step.Account)
	}
	return p.store.BindTexts(ctx, step.Account, wordindex.Enough)
}
