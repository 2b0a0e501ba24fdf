package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func put(t *testing.T, s *db.Store, tr *db.Transcript) (id string) {
	t.Helper()
	inTx(t, s, func(ctx context.Context, tx *db.Tx) {
		var err error
		id, err = tx.Transcripts.Put(ctx, tr)
		require.NoError(t, err)
	})
	return id
}

func TestTranscripts(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		ctx := t.Context()
		_, err := s.Transcripts.ByID(ctx, "none")
		require.ErrorIs(t, err, db.ErrNotFound)

		title, sec, at := `O'Brien \' "Ünïcode" \u0000 ?`, 61, transcript.At(now())
		tr := db.Transcript{
			Transcript: transcript.Transcript{
				ID: "t1", Platform: transcript.Upload, ExternalID: "x", Lang: "en", Title: &title,
				DurationSec: &sec, PublishedAt: &at, Metadata: map[string]any{"a": `it's \' "b"`, "n": 1.5},
				Source: transcript.OriginASR, Status: transcript.Ready, CreatedAt: at, UpdatedAt: at,
			},
			Owner: "acme", Duration: 60.5,
			SegmentsJSON: packed.Pack([]byte(`[{"text":"it's","start":0,"duration":1}]`)), WordsJSON: packed.Pack([]byte(`[[]]`)),
		}
		with := title[:1] + "\x00" + title[1:] + "\xff"
		tr.Title = &with
		require.Equal(t, "t1", put(t, s, &tr))
		without := title + "\uFFFD"
		tr.Title = &without
		timed, err := s.Transcripts.Timed(ctx, "t1")
		require.NoError(t, err)
		require.Equal(t, string(plain(t, tr.WordsJSON)), string(plain(t, timed.WordsJSON)))
		require.Equal(t, string(plain(t, tr.SegmentsJSON)), string(plain(t, timed.SegmentsJSON)))
		_, err = s.Transcripts.Timed(ctx, "none")
		require.ErrorIs(t, err, db.ErrNotFound)
		tr.WordsJSON = nil // not read with the rest
		got, err := s.Transcripts.ByID(ctx, "t1")
		require.NoError(t, err)
		equal(t, &tr, got)

		// The same content again: replaced, but id and creation stay.
		again := db.Transcript{
			Transcript: transcript.Transcript{
				ID: "t2", Platform: transcript.Upload, ExternalID: "x", Lang: "en",
				Source: transcript.OriginASR, Status: transcript.Ready,
				CreatedAt: transcript.At(at.Add(time.Hour)), UpdatedAt: transcript.At(at.Add(time.Hour)),
			},
			Owner: "acme", SegmentsJSON: packed.Pack([]byte(`[]`)),
		}
		require.Equal(t, "t1", put(t, s, &again))
		got, err = s.Transcripts.ByID(ctx, "t1")
		require.NoError(t, err)
		again.ID, again.CreatedAt = "t1", at
		equal(t, &again, got)

		// Another language, and the same of another owner, are others.
		german := again
		german.ID, german.Lang, german.UpdatedAt = "t3", "de", transcript.At(at.Add(2*time.Hour))
		require.Equal(t, "t3", put(t, s, &german))
		foreign := again
		foreign.ID, foreign.Owner = "t4", "beta"
		require.Equal(t, "t4", put(t, s, &foreign))

		shelf, err := s.Contents.Shelf(ctx, "acme", "acme", transcript.Upload, "x")
		require.NoError(t, err)
		require.Len(t, shelf.Texts, 2)
		require.Equal(t, []string{"t3", "t1"}, []string{shelf.Texts[0].ID, shelf.Texts[1].ID}, "newest first")
		shelf, err = s.Contents.Shelf(ctx, "acme", "acme", transcript.VideoSite, "x")
		require.NoError(t, err)
		require.Empty(t, shelf.Texts)
	})
}

// equal compares transcripts without words.
func equal(t *testing.T, want, got *db.Transcript) {
	t.Helper()
	require.Equal(t, string(plain(t, want.SegmentsJSON)), string(plain(t, got.SegmentsJSON)))
	w, g := *want, *got
	w.SegmentsJSON, g.SegmentsJSON, g.ChangedAt = nil, nil, time.Time{}
	require.Equal(t, w, g)
}
