package service

import (
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/batcher"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/follower"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// takeItem makes a submission of an item of a batch. It returns what accepts the submission in a
// transaction.
func (s *Service) takeItem(ctx context.Context, b *db.Batch, item *db.BatchItem) func(context.Context, *db.Tx) (batcher.Taken, error) {
	i := intake.Item{
		Account: b.Account, Limits: b.Limits, CacheTTL: b.CacheTTL, Trace: b.Trace, Batched: item,
		Content: engine.Content{Platform: item.Platform, ExternalID: item.ExternalID, URL: item.SourceURL},
	}
	if b.Languages != "" {
		i.Languages, _ = transcript.ParseLanguageList(b.Languages) // only canonical lists are stored, and they can always be read
	}
	take := s.Take(ctx, i)
	return func(ctx context.Context, tx *db.Tx) (batcher.Taken, error) {
		taken, err := take(ctx, tx)
		return batcher.Taken(taken), err
	}
}

// takeFollowed makes a submission of an item of a follow. It returns what accepts the submission in
// a transaction.
func (s *Service) takeFollowed(ctx context.Context, i follower.Item) func(context.Context, *db.Tx) (string, error) {
	take := s.Take(ctx, intake.Item{
		Account: i.Account, Plan: i.Plan, Content: i.Content, Languages: i.Languages,
		Limits: limits.OfItems(i.Plan, time.Now()), CacheTTL: i.Plan.CacheTTL, Trace: i.Trace,
	})
	return func(ctx context.Context, tx *db.Tx) (string, error) {
		taken, err := take(ctx, tx)
		if err != nil || taken.Job == nil {
			return "", err
		}
		return taken.Job.ID, nil
	}
}
