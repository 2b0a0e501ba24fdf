package pipeline

import (
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/batches"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/follows"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// takeUpItem makes a submission of an item of a batch. It returns what accepts the
// submission in a transaction.
func (p *Pipeline) takeUpItem(ctx context.Context, b *db.Batch, item *db.BatchItem) func(context.Context, *db.Tx) (batches.Taken, error) {
	s := p.submissionOf(ctx, b, item)
	return func(ctx context.Context, tx *db.Tx) (batches.Taken, error) {
		found, job, _, err := p.accept(ctx, tx, s)
		if err != nil || found != nil {
			return takenFromCache(found), err
		}
		return batches.Taken{Job: job, Sound: !s.captionsFirst(s.subject()) || beyondCaptions(job.State)}, nil
	}
}

// submitFollowed makes a submission of an item of a follow. It returns what accepts the
// submission in a transaction.
func (p *Pipeline) submitFollowed(ctx context.Context, i follows.Item) func(context.Context, *db.Tx) (string, error) {
	s := Submission{
		Account: i.Account, Plan: i.Plan, Content: i.Content, Languages: i.Languages, followed: true,
		terms: terms{limits: batches.LimitsOf(i.Plan, time.Now()), ttl: i.Plan.CacheTTL, trace: i.Trace},
		team:  p.cluster.Team(ctx),
	}
	s.Languages = s.narrow()
	return func(ctx context.Context, tx *db.Tx) (string, error) {
		found, job, _, err := p.accept(ctx, tx, s)
		if err != nil || found != nil {
			return "", err
		}
		return job.ID, nil
	}
}

func takenFromCache(found *hit) (t batches.Taken) {
	if found != nil {
		t.TranscriptID = found.ID
	}
	return t
}

// cancelClaims cancels claims on an extraction, of those that still run in the transaction.
func (p *Pipeline) cancelClaims(ctx context.Context, extraction string, which func(context.Context, *db.Tx) ([]db.Job, error)) error {
	return p.claims.change(ctx, extraction, func(ctx context.Context, tx *db.Tx, e *db.Extraction) error {
		claims, err := which(ctx, tx)
		if err != nil || len(claims) == 0 {
			return err
		}
		return p.claims.settle(ctx, tx, e, claims, db.End{Status: transcript.JobCancelled})
	})
}

// submissionOf is an item as a submission.
func (p *Pipeline) submissionOf(ctx context.Context, b *db.Batch, item *db.BatchItem) Submission {
	s := Submission{
		Account: b.Account,
		Content: engine.Content{Platform: item.Platform, ExternalID: item.ExternalID, URL: item.SourceURL},
		terms:   terms{limits: b.Limits, ttl: b.CacheTTL, trace: b.Trace},
		team:    p.cluster.Team(ctx),
		item:    item,
	}
	if b.Languages != "" {
		// Only canonical lists are stored, which always can be read.
		s.Languages, _ = transcript.ParseLanguageList(b.Languages)
	}
	s.Languages = s.narrow()
	return s
}
