package service_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/batcher"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// entry is an entry that names a content.
func entry(id string) batcher.Entry {
	return batcher.Entry{Content: engine.Content{Platform: transcript.VideoSite, ExternalID: id, URL: "https://video.example/watch?v=" + id}}
}

// badEntry is one that names none.
func badEntry(id string, code transcript.Code) batcher.Entry {
	e := entry(id)
	e.Err = transcript.Errorf(code, "It is none.")
	return e
}

func entries(n int) []batcher.Entry {
	all := make([]batcher.Entry, n)
	for i := range all {
		all[i] = entry(fmt.Sprintf("content-%03d", i))
	}
	return all
}

func batchOf(entries ...batcher.Entry) batcher.Request {
	english, _ := transcript.ParseLanguageList("en")
	return batcher.Request{Account: acme, Plan: plan(), Mode: batch.Links, Entries: entries, Languages: english}
}

// items are all items of a batch, read in pages of a size.
func (b *bench) items(t *testing.T, account, id string, size int) (all []batch.Item) {
	t.Helper()
	for after := 0; ; {
		page, err := b.Batches.Page(t.Context(), account, id, after, size)
		require.NoError(t, err)
		all = append(all, page.Items...)
		if page.Next == 0 {
			return all
		}
		require.Len(t, page.Items, size)
		after = page.Next
	}
}

func TestBatchBeginsPending(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		b := prepare(t, s, &script{})
		made, err := b.Batches.Create(t.Context(), batchOf(
			entry("one"), entry("two"), entry("one"), badEntry("no video", transcript.InvalidVideo), entry("two"), entry("three"),
			badEntry(strings.Repeat("x", 600), transcript.UnsupportedPlatform)))
		require.NoError(t, err)
		assert.Equal(t, batch.Counts{Total: 7, Pending: 3, Failed: 2}, made.Counts)
		assert.Equal(t, batch.Pending, made.Status)

		read, err := b.Batches.Get(t.Context(), acme, made.ID)
		require.NoError(t, err)
		assert.Equal(t, made, read)
		assert.Equal(t, 4, read.Done)
		var status []batch.ItemStatus
		for _, item := range b.items(t, acme, made.ID, 2) {
			status = append(status, item.Status)
			assert.Equal(t, "en", item.Lang)
			assert.LessOrEqual(t, len(item.ExternalID), 512)
			assert.Zero(t, item.Attempts)
			if item.Status == batch.ItemFailed {
				assert.NotNil(t, item.Error)
				assert.False(t, *item.Retryable)
				assert.Equal(t, "It is none.", item.ErrorMessage)
			}
		}
		assert.Equal(t, []batch.ItemStatus{batch.ItemPending, batch.ItemPending, batch.ItemSkipped, batch.ItemFailed,
			batch.ItemSkipped, batch.ItemPending, batch.ItemFailed}, status)

		_, err = b.Batches.Get(t.Context(), "other", made.ID)
		require.ErrorIs(t, err, transcript.NotFound)
		_, err = b.Batches.Page(t.Context(), "other", made.ID, 0, 10)
		require.ErrorIs(t, err, transcript.NotFound)
	})
}

func TestBatchesInPages(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		b := prepare(t, s, &script{})
		var want []string
		for i := range 5 {
			made, err := b.Batches.Create(t.Context(), batchOf(entries(i+1)...))
			require.NoError(t, err)
			want = append([]string{made.ID}, want...)
		}
		other := batchOf(entry("one"))
		other.Account = "other"
		_, err := b.Batches.Create(t.Context(), other)
		require.NoError(t, err)

		var got []string
		for before := ""; ; {
			page, err := b.Batches.List(t.Context(), acme, "", before, 2)
			require.NoError(t, err)
			if len(page) == 0 {
				break
			}
			for _, job := range page {
				got = append(got, job.ID)
			}
			before = page[len(page)-1].ID
		}
		assert.Equal(t, want, got)
		for status, n := range map[batch.Status]int{batch.Pending: 5, batch.Processing: 0, batch.Completed: 0} {
			page, err := b.Batches.List(t.Context(), acme, status, "", 10)
			require.NoError(t, err)
			assert.Len(t, page, n, status)
		}
	})
}

func TestBatchRefused(t *testing.T) {
	t.Parallel()
	b := prepare(t, dbtest.Open(t, dbtest.SQLite(t)), &script{})
	small := plan()
	small.BatchItems, small.ActionURL = 3, "https://example.com/plans"
	unlimited := plan()
	unlimited.BatchItems = account.Unlimited
	for name, tt := range map[string]struct {
		plan      account.Plan
		entries   []batcher.Entry
		max       int
		code      transcript.Code
		status    int
		requested int
		limit     int
	}{
		"as many as the plan permits":   {plan: small, entries: append(entries(3), entries(3)...)},
		"more than the plan permits":    {plan: small, entries: entries(4), code: transcript.BatchLimitExceeded, status: 402, requested: 4, limit: 3},
		"more than wanted":              {plan: small, entries: entries(700), max: 3},
		"more than the service takes":   {plan: unlimited, entries: entries(501), code: transcript.BatchLimitExceeded, status: 422, requested: 501, limit: 500},
		"no plan has so many":           {plan: small, entries: entries(501), code: transcript.BatchLimitExceeded, status: 422, requested: 501, limit: 500},
		"as many as the service takes":  {plan: unlimited, entries: append(entries(500), entries(100)...)},
		"the same again and again":      {plan: unlimited, entries: slices.Repeat([]batcher.Entry{entry("one")}, 5001), code: transcript.BatchLimitExceeded, status: 422, requested: 5001, limit: 5000},
		"none names a content":          {plan: small, entries: []batcher.Entry{badEntry("a", transcript.InvalidVideo), badEntry("b", transcript.UnsupportedPlatform), badEntry("a", transcript.InvalidVideo)}, code: transcript.InvalidVideo, status: 422},
		"none that is wanted names one": {plan: small, entries: []batcher.Entry{badEntry("a", transcript.InvalidVideo), entry("b")}, max: 1, code: transcript.InvalidVideo, status: 422},
	} {
		t.Run(name, func(t *testing.T) {
			r := batchOf(tt.entries...)
			r.Account, r.Plan, r.MaxItems = name, tt.plan, tt.max
			asked := 0
			r.Admit = func(context.Context) error { asked++; return nil }
			made, err := b.Batches.Create(t.Context(), r)
			if tt.code == "" {
				require.NoError(t, err)
				assert.Equal(t, 1, asked)
				if tt.max > 0 {
					assert.Equal(t, tt.max, made.Total)
				}
				return
			}
			var coded *transcript.Error
			require.ErrorAs(t, err, &coded)
			assert.Equal(t, tt.code, coded.Code)
			assert.Equal(t, tt.status, coded.HTTPStatus())
			assert.Equal(t, tt.status == 402, coded.ActionURL != "")
			if tt.limit > 0 {
				assert.Equal(t, map[string]any{"requested": tt.requested, "limit": tt.limit}, coded.Details)
			}
			assert.Zero(t, asked, "who is refused anyway needs no admission")
			all, err := b.Batches.List(t.Context(), name, "", "", 10)
			require.NoError(t, err)
			assert.Empty(t, all)
		})
	}
}

func TestBatchNotAdmitted(t *testing.T) {
	t.Parallel()
	b := prepare(t, dbtest.Open(t, dbtest.SQLite(t)), &script{})
	r := batchOf(entry("one"))
	r.Admit = func(context.Context) error { return transcript.Errorf(transcript.InsufficientCredits, "No.") }
	_, err := b.Batches.Create(t.Context(), r)
	require.ErrorIs(t, err, transcript.InsufficientCredits)
	all, err := b.Batches.List(t.Context(), acme, "", "", 10)
	require.NoError(t, err)
	assert.Empty(t, all)
}

// The key's answer and the batch are there together, or neither is.
func TestBatchRecordsItsKey(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		b := prepare(t, s, &script{})
		id := db.IdempotencyKey{Account: acme, Method: "POST", Route: "/v1/batch", Key: "k"}
		taken, err := s.Idempotency.Take(t.Context(), id, []byte{1})
		require.NoError(t, err)
		r := batchOf(entry("one"))
		r.Key = taken.Held
		made, err := b.Batches.Create(t.Context(), r)
		require.NoError(t, err)
		again, err := s.Idempotency.Take(t.Context(), id, []byte{1})
		require.NoError(t, err)
		assert.Equal(t, &db.Answer{Kind: db.BatchAnswer, ID: made.ID}, again.Answer)

		_, err = b.Batches.Create(t.Context(), r)
		require.ErrorIs(t, err, db.ErrKeyLost)
		all, err := b.Batches.List(t.Context(), acme, "", "", 10)
		require.NoError(t, err)
		assert.Len(t, all, 1)
	})
}
