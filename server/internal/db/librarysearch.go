package db

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/wordindex"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Search is a search in the texts that an account has saved.
type Search = wordindex.Search

// SearchPlace is the place of a saved text among the results of a search.
type SearchPlace = wordindex.Place

// SearchFound is a saved text that matches the query.
type SearchFound = wordindex.Found

// Search finds the saved texts of an account that match the query. Its time does not depend on
// the texts of other accounts. Search makes several queries: see Store.Snapshot.
func (r Library) Search(ctx context.Context, s Search) ([]SearchFound, error) {
	return s.Run(ctx, r.db)
}

// IndexQueue is the queue of IndexStep.
const IndexQueue = wordindex.Queue

// IndexStep is the work for the index of an account: BindTexts, or PurgeTexts.
type IndexStep = wordindex.Step

// BindTexts indexes the texts of an account until there is nothing left to index. enough is how
// many new texts make the work worthwhile. Saving texts enqueues an IndexStep for this.
func (s *Store) BindTexts(ctx context.Context, account string, enough int) error {
	return wordindex.Bind(Unhurried(ctx), s.sql, account, enough)
}

// PurgeTexts removes the words of deleted texts from the index of an account.
func (s *Store) PurgeTexts(ctx context.Context, account string) error {
	return wordindex.Purge(Unhurried(ctx), s.sql, account)
}

// purgeAfter is how long the index keeps the words of a deleted text. No search finds these words.
// All texts of one volume that are deleted during this time need only one rewrite of the volume.
const purgeAfter = 10 * time.Minute

// unindex removes the rows that rows selects from the index: see wordindex.Leave.
func (w LibraryTx) unindex(ctx context.Context, rows func(*bun.SelectQuery) *bun.SelectQuery) error {
	accounts, err := wordindex.Leave(ctx, w.tx.sql, rows)
	for _, account := range accounts {
		if err == nil {
			err = w.tx.Queue.EnqueueOnce(ctx, IndexStep{Account: account, Gone: true}, purgeAfter)
		}
	}
	return err
}

// Transcript returns the transcript of a row in the account's library, without its words,
// or ErrNotFound.
func (r Library) Transcript(ctx context.Context, account, rowID string) (*Transcript, error) {
	var id string
	err := r.db.NewSelect().Table("library_rows").Column("transcript_id").
		Where("account = ? AND id = ? AND kind = 'transcript'", account, rowID).Scan(ctx, &id)
	if err != nil {
		return nil, one("library row "+rowID, err)
	}
	return Transcripts(r).ByID(ctx, id)
}

// segmentsOf reads rendered segments.
func segmentsOf(segmentsJSON []byte) (segments []transcript.Segment, err error) {
	if err := json.Unmarshal(segmentsJSON, &segments); err != nil {
		return nil, fmt.Errorf("store: segments: %w", err)
	}
	return segments, nil
}

// VerifyIndex compares the index of words with the texts, and calls fault with a sentence about
// each disagreement. It returns the number of texts.
func (s *Store) VerifyIndex(ctx context.Context, fault func(string)) (texts int, err error) {
	return wordindex.Verify(ctx, s.sql, fault)
}
