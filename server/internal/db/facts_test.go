package db_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
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

// TestFactsOfManyQuestionsAtOnce asks about several contents for several accounts at the same
// time. Questions share reads, and each gets its own answer.
func TestFactsOfManyQuestionsAtOnce(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		const contents = 5
		id := func(n int) string { return fmt.Sprint("many", n) }
		accounts := []string{"acme", "other", ""}
		ids := map[string]string{} // of texts, by content and language
		for n := range contents - 1 {
			for _, lang := range []string{"en", "de"} {
				text := factsText(lang)
				text.ExternalID = id(n)
				ids[id(n)+lang] = put(t, s, text)
			}
			inTx(t, s, func(ctx context.Context, tx *db.Tx) {
				require.NoError(t, tx.Library.Save(ctx, ids[id(n)+"en"], "acme", ""))
				require.NoError(t, tx.Library.Save(ctx, ids[id(n)+"de"], "acme", ""))
				own := factsText("fr")
				own.ExternalID, own.Owner = id(n), "other"
				_, err := tx.Transcripts.Put(ctx, own)
				require.NoError(t, err)
			})
		}
		var askers sync.WaitGroup
		for n := range contents {
			there := n < contents-1 // the last content is unknown
			for i, account := range accounts {
				askers.Go(func() {
					shelf, err := s.Contents.Shelf(t.Context(), "", account, factsOf.Platform, id(n))
					if !assert.NoError(t, err) || !there {
						assert.Empty(t, shelf.Texts)
						return
					}
					assert.Len(t, shelf.Texts, []int{2, 3, 2}[i], account)
					for _, text := range shelf.Texts {
						assert.Equal(t, account == "acme", text.Saved)
						assert.True(t, text.Lang == "fr" || text.ID == ids[id(n)+text.Lang])
					}
				})
				for language, want := range map[string]string{"": ids[id(n)+"de"], "en": ids[id(n)+"en"], "fr": ""} {
					askers.Go(func() {
						saved, err := s.Library.Saved(t.Context(), account, library.Key{Platform: factsOf.Platform, ExternalID: id(n), Language: language})
						if account != "acme" || want == "" {
							assert.ErrorIs(t, err, db.ErrNotFound)
							return
						}
						if assert.NoError(t, err) {
							assert.Equal(t, want, saved.TranscriptID)
						}
					})
				}
			}
		}
		askers.Wait()
	})
}

// TestFactsEndWithALostCommit loses the answer to a commit that was made.
func TestFactsEndWithALostCommit(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		faults, s := dbtest.Faulty(t, o)
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
	faults, s := dbtest.Faulty(t, o)
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
