package service_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server/internal/batcher"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// putText stores a text of a content, and returns its id.
func putText(ctx context.Context, tx *db.Tx, content, text string) (string, error) {
	return tx.Transcripts.Put(ctx, &db.Transcript{SegmentsJSON: packed.Pack([]byte(`[{"text":"` + text + `","start":0,"duration":1}]`)), Transcript: transcript.Transcript{
		Platform: transcript.VideoSite, ExternalID: content, Lang: "en", Source: transcript.OriginCaptionAPI, Status: transcript.Ready,
	}})
}

// finished is a batch with some texts, after which an item has failed and others wait.
func finished(t *testing.T, s *db.Store, status batch.Status, texts int) (id string) {
	t.Helper()
	b := &db.Batch{Account: acme, Mode: batch.Links, Languages: "en", ItemLimit: 500, Status: status, Listed: true}
	require.NoError(t, s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		if err := tx.Batches.Insert(ctx, b); err != nil {
			return err
		}
		items := []db.BatchItem{}
		for i := range texts {
			content := fmt.Sprintf("content-%03d", i)
			text, err := putText(ctx, tx, content, "text of "+content)
			if err != nil {
				return err
			}
			items = append(items, db.BatchItem{Platform: transcript.VideoSite, ExternalID: content, Status: batch.ItemSuccess, ItemEnd: db.ItemEnd{TranscriptID: text, Lang: "en"}})
		}
		items = append(items,
			db.BatchItem{Platform: transcript.VideoSite, ExternalID: "bad", Status: batch.ItemFailed, ItemEnd: db.ItemEnd{ErrorCode: transcript.Unavailable}},
			db.BatchItem{Platform: transcript.VideoSite, ExternalID: "again", Status: batch.ItemSkipped})
		if !status.Terminal() {
			items = append(items, db.BatchItem{Platform: transcript.VideoSite, ExternalID: "waits", Status: batch.ItemPending})
		}
		for i := range items {
			items[i].BatchID, items[i].Position = b.ID, i+1
		}
		return tx.Items.Insert(ctx, items)
	}))
	return b.ID
}

// An export shows one moment, whatever happens to its batch while it is read.
func TestExportIsOfOneMoment(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		b := prepare(t, s, &script{})
		id := finished(t, s, batch.Processing, 3)
		_, err := b.Batches.Export(t.Context(), acme, id, false)
		require.ErrorIs(t, err, transcript.StateConflict)
		_, err = b.Batches.Export(t.Context(), "other", id, true)
		require.ErrorIs(t, err, transcript.NotFound)

		e, err := b.Batches.Export(t.Context(), acme, id, true)
		require.NoError(t, err)
		assert.Equal(t, 3, e.Texts())
		assert.Equal(t, batch.Counts{Total: 6, Pending: 1, Success: 3, Failed: 1}, e.Batch.Counts)
		shown, err := b.Batches.Get(t.Context(), acme, id)
		require.NoError(t, err)
		assert.Equal(t, shown, e.Batch, "it is shown as always")

		require.NoError(t, s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error { return tx.Batches.Delete(ctx, id) }))
		var got []string
		for entry, err := range e.Entries(t.Context()) {
			require.NoError(t, err)
			line := entry.Item.ExternalID + " " + string(entry.Item.Status)
			if entry.Transcript != nil {
				line += ": " + entry.Transcript.Segments[0].Text
			}
			got = append(got, line)
		}
		assert.Equal(t, []string{"content-000 success: text of content-000", "content-001 success: text of content-001",
			"content-002 success: text of content-002", "bad failed", "again skipped", "waits pending"}, got)

		_, err = b.Batches.Export(t.Context(), acme, id, true)
		assert.ErrorIs(t, err, transcript.NotFound)
		assert.ErrorIs(t, b.Batches.Exported(t.Context(), acme, id, "exp_1", "text/csv"), transcript.NotFound)
	})
}

func TestExportStopsAtATextThatChanged(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		b := prepare(t, s, &script{})
		id := finished(t, s, batch.Completed, 3)
		e, err := b.Batches.Export(t.Context(), acme, id, false)
		require.NoError(t, err)
		require.NoError(t, s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
			_, err := putText(ctx, tx, "content-001", "made anew")
			return err
		}))
		read := 0
		for entry, err := range e.Entries(t.Context()) {
			if err != nil {
				require.ErrorIs(t, err, batcher.ErrTextChanged)
				assert.Zero(t, entry)
				continue
			}
			read++
		}
		assert.Equal(t, 1, read, "nothing is read on")
		e, err = b.Batches.Export(t.Context(), acme, id, false)
		require.NoError(t, err)
		for entry, err := range e.Entries(t.Context()) {
			require.NoError(t, err)
			if entry.Item.ExternalID == "content-001" {
				assert.Equal(t, "made anew", entry.Transcript.Segments[0].Text)
			}
		}
	})
}

// Texts are read when it is their turn, and none for a reader who has gone.
func TestExportReadsNoMoreThanIsWanted(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		b := prepare(t, s, &script{})
		e, err := b.Batches.Export(t.Context(), acme, finished(t, s, batch.Completed, 9), false)
		require.NoError(t, err)
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		read := 0
		for _, err := range e.Entries(ctx) {
			if err != nil {
				require.ErrorIs(t, err, context.Canceled)
				continue
			}
			if read++; read == 4 {
				leave()
			}
		}
		assert.Equal(t, 4, read)
	})
}

func TestExportedLeavesTheBatchAsItIs(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		b := prepare(t, s, &script{})
		id := finished(t, s, batch.Completed, 1)
		before, err := b.Batches.Get(t.Context(), acme, id)
		require.NoError(t, err)
		assert.Nil(t, before.ExportRef)
		require.ErrorIs(t, b.Batches.Exported(t.Context(), "other", id, "exp_0", "text/csv"), transcript.NotFound)
		require.NoError(t, b.Batches.Exported(t.Context(), acme, id, "exp_1", "text/csv"))
		after, err := b.Batches.Get(t.Context(), acme, id)
		require.NoError(t, err)
		assert.Equal(t, "exp_1", *after.ExportRef)
		assert.Equal(t, "text/csv", *after.ExportMime)
		after.ExportRef, after.ExportMime = nil, nil
		assert.Equal(t, before, after)
	})
}
