package db_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// factsOf is the content of these tests.
var factsOf = library.Key{Platform: transcript.VideoSite, ExternalID: "v1"}

func factsText(lang string) *db.Transcript {
	return &db.Transcript{Transcript: transcript.Transcript{
		Platform: factsOf.Platform, ExternalID: factsOf.ExternalID, Lang: lang, Source: transcript.OriginASR, Status: transcript.Ready,
	}, SegmentsJSON: packed.Pack([]byte("[]"))}
}

// TestFactsEndWithTheirContent changes a content in every way that an answer from the cache
// depends on. On SQLite the store remembers what it has read; each change ends that.
func TestFactsEndWithTheirContent(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		look := func() (texts, tracks int, saved bool) {
			t.Helper()
			for range 2 { // the second is remembered
				shelf, err := s.Contents.Shelf(t.Context(), "", "acme", factsOf.Platform, factsOf.ExternalID)
				require.NoError(t, err)
				texts, tracks = len(shelf.Texts), len(shelf.Tracks)
				saved = texts > 0 && shelf.Texts[0].Saved
				clear(shelf.Texts) // is the caller's own
			}
			return texts, tracks, saved
		}
		requireLook := func(texts, tracks int, saved bool) {
			t.Helper()
			gotTexts, gotTracks, gotSaved := look()
			require.Equal(t, []any{texts, tracks, saved}, []any{gotTexts, gotTracks, gotSaved})
		}
		savedID := func() string {
			saved, err := s.Library.Saved(t.Context(), "acme", factsOf)
			if err != nil {
				require.ErrorIs(t, err, db.ErrNotFound)
				return ""
			}
			return saved.TranscriptID
		}
		requireLook(0, 0, false)
		require.Empty(t, savedID())
		id := put(t, s, factsText("en"))
		requireLook(1, 0, false)
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Contents.Put(ctx, &db.Content{Platform: factsOf.Platform, ExternalID: factsOf.ExternalID, Tracks: []transcript.Track{{Lang: "en"}}}))
		})
		requireLook(1, 1, false)
		inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Library.Save(ctx, id, "acme", "")) })
		requireLook(1, 1, true)
		require.Equal(t, id, savedID())
		before, err := s.Library.Saved(t.Context(), "acme", factsOf)
		require.NoError(t, err)
		put(t, s, factsText("en"))
		after, err := s.Library.Saved(t.Context(), "acme", factsOf)
		require.NoError(t, err)
		require.True(t, after.ChangedAt.After(before.ChangedAt), "the text was made again")
		inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Library.Remove(ctx, "acme", factsOf)) })
		requireLook(1, 1, false)
		require.Empty(t, savedID())

		require.ErrorIs(t, s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
			require.NoError(t, tx.Library.Save(ctx, id, "acme", ""))
			requireLook(1, 1, false) // others do not see what is not committed
			shelf, err := tx.Contents.Shelf(ctx, "", "acme", factsOf.Platform, factsOf.ExternalID)
			require.NoError(t, err)
			require.True(t, shelf.Texts[0].Saved)
			return errUndo
		}), errUndo)
		requireLook(1, 1, false)
	})
}

// TestFactsEndWithALostCommit loses the answer to a commit that was made.
func TestFactsEndWithALostCommit(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		faults, ctx, behind := dbtest.Faulty(t, store.Options(o))
		s, err := db.Open(ctx, db.Options(behind))
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		read := func() int {
			shelf, err := s.Contents.Shelf(t.Context(), "", "acme", factsOf.Platform, factsOf.ExternalID)
			require.NoError(t, err)
			return len(shelf.Texts)
		}
		require.Zero(t, read())
		require.Zero(t, read())
		write := func(lang string) error {
			return s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
				_, err := tx.Transcripts.Put(ctx, factsText(lang))
				return err
			})
		}
		faults.Arm(0, dbtest.NoFault)
		require.NoError(t, write("en"))
		commit := len(faults.Disarm())
		require.Equal(t, 1, read())
		faults.Arm(commit, dbtest.Lost)
		require.ErrorIs(t, write("de"), db.ErrUncertain)
		require.Contains(t, strings.ToLower(faults.Disarm()[commit-1]), "commit")
		require.Eventually(t, func() bool { return read() == 2 }, time.Minute, time.Millisecond)
	})
}

// TestFactsAskOnce counts what SQLite is asked for the same content.
func TestFactsAskOnce(t *testing.T) {
	t.Parallel()
	o := dbtest.SQLite(t)
	faults, ctx, behind := dbtest.Faulty(t, store.Options(o))
	s, err := db.Open(ctx, db.Options(behind))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	id := put(t, s, factsText("en"))
	inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Library.Save(ctx, id, "acme", "")) })
	faults.Arm(0, dbtest.NoFault)
	for range 10 {
		_, err := s.Contents.Shelf(t.Context(), "", "acme", factsOf.Platform, factsOf.ExternalID)
		require.NoError(t, err)
		_, err = s.Library.Saved(t.Context(), "acme", factsOf)
		require.NoError(t, err)
	}
	assert.Len(t, faults.Disarm(), 2)
}
