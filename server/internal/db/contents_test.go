package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestContents(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		_, err := s.Contents.Get(t.Context(), transcript.VideoSite, "v1")
		require.ErrorIs(t, err, db.ErrNotFound)

		c := db.Content{
			Platform: transcript.VideoSite, ExternalID: "v1",
			Metadata: transcript.Metadata{Title: "a\x00b", Duration: 1.5, PublishedAt: now()},
			Tracks:   []transcript.Track{{ID: "en.manual", Lang: "en", Kind: transcript.TrackManual, IsDefault: true}},
			AskedAt:  now().Add(-time.Hour),
		}
		putContent := func(c db.Content) {
			inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Contents.Put(ctx, &c)) })
		}
		putContent(c)
		got, err := s.Contents.Get(t.Context(), transcript.VideoSite, "v1")
		require.NoError(t, err)
		want := c
		want.Metadata.Title = "ab"
		got.AskedAt, got.Metadata.PublishedAt = got.AskedAt.UTC(), got.Metadata.PublishedAt.UTC()
		assert.Equal(t, want, *got)

		c.Tracks = nil // now the platform says that there are none
		putContent(c)
		got, err = s.Contents.Get(t.Context(), transcript.VideoSite, "v1")
		require.NoError(t, err)
		assert.NotNil(t, got.Tracks)
		assert.Empty(t, got.Tracks)
	})
}

func TestShelf(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		shelf := func(owner, account string) *db.Shelf {
			shelf, err := s.Contents.Shelf(t.Context(), owner, account, transcript.VideoSite, "v1")
			require.NoError(t, err)
			return shelf
		}
		assert.Empty(t, shelf("", "acme").Texts)

		text := func(owner, lang string, source transcript.Origin, age time.Duration) string {
			return put(t, s, &db.Transcript{Owner: owner, Transcript: transcript.Transcript{
				Platform: transcript.VideoSite, ExternalID: "v1", Lang: lang, Source: source, Status: transcript.Ready,
				UpdatedAt: transcript.At(now().Add(-age)),
			}, SegmentsJSON: packed.Pack([]byte("[]"))})
		}
		older := text("", "en", transcript.OriginDownloader, time.Hour)
		newer := text("", "en", transcript.OriginASR, time.Minute)
		text("other", "de", transcript.OriginASR, 0)

		got := shelf("", "acme")
		require.Len(t, got.Texts, 2, "another owner's text")
		assert.Equal(t, []string{newer, older}, []string{got.Texts[0].ID, got.Texts[1].ID})
		assert.Equal(t, transcript.OriginASR, got.Texts[0].Source)
		assert.WithinDuration(t, now().Add(-time.Hour), got.Texts[1].UpdatedAt, time.Second)
		assert.Nil(t, got.Tracks, "nobody has asked")
		assert.True(t, got.TracksAt.IsZero())

		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Contents.Put(ctx, &db.Content{Platform: transcript.VideoSite, ExternalID: "v1"}))
			require.NoError(t, tx.Library.Save(ctx, older, "acme", ""))
		})
		got = shelf("", "acme")
		assert.NotNil(t, got.Tracks)
		assert.False(t, got.TracksAt.IsZero())
		assert.Equal(t, []bool{false, true}, []bool{got.Texts[0].Saved, got.Texts[1].Saved})
		assert.False(t, shelf("", "other").Texts[1].Saved, "another account's library")
	})
}

// TestOldContentsAreSwept: what a platform said is forgotten in the end, but not while
// there is a text that it is about.
func TestOldContentsAreSwept(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		long := time.Now().Add(-31 * 24 * time.Hour)
		text := titled(transcript.OriginASR, "A talk")
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			_, err := tx.Transcripts.Put(ctx, text)
			require.NoError(t, err)
			for id, at := range map[string]time.Time{"old": long, "young": time.Now(), text.ExternalID: long} {
				require.NoError(t, tx.Contents.Put(ctx, &db.Content{Platform: text.Platform, ExternalID: id, AskedAt: at}))
			}
		})
		require.NoError(t, dbtest.Sweep(t.Context(), s, 365*24*time.Hour, time.Hour))
		_, err := s.Contents.Get(t.Context(), text.Platform, "old")
		require.ErrorIs(t, err, db.ErrNotFound)
		for _, id := range []string{"young", text.ExternalID} {
			_, err := s.Contents.Get(t.Context(), text.Platform, id)
			require.NoError(t, err, id)
		}
	})
}
