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
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/search"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func bind(t *testing.T, s *db.Store, account string, enough int) {
	t.Helper()
	require.NoError(t, s.BindTexts(t.Context(), account, enough))
}

func finds(t *testing.T, s *db.Store, account, q string) []string {
	t.Helper()
	return hits(t, s, db.Search{Account: account, Query: search.Parse(q), N: 10})
}

// bytesOf counts the rows of both indexes whose bytes have a word.
func (d database) bytesOf(t *testing.T, word string) (n int) {
	t.Helper()
	for _, table := range []string{"search_blocks", "search_volume_blocks"} {
		rows, err := d.QueryContext(t.Context(), "SELECT words FROM "+table)
		require.NoError(t, err)
		defer rows.Close()
		for rows.Next() {
			var words []byte
			require.NoError(t, rows.Scan(&words))
			if strings.Contains(string(words), word) {
				n++
			}
		}
		require.NoError(t, rows.Err())
	}
	return n
}

// TestSearchFollowsTheBoundText: a text in a volume is found by its new words only after a
// change, an account that saves the text later finds it at once, and after the removal no index
// has the words.
func TestSearchFollowsTheBoundText(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, raw := dbtest.Open(t, o), open(t, o)
		keep(t, s, "acme", said("v1", "en", "zebra", "before"), said("v2", "en", "other before"), said("v3", "de", "third", "zither"))
		bind(t, s, "acme", 1)
		assert.Zero(t, raw.count(t, "search_blocks"), "no account has a text in no volume")
		assert.Equal(t, []string{"v1[0]"}, finds(t, s, "acme", "zebra"))
		assert.Equal(t, []string{"v2[0]", "v1[4000]"}, finds(t, s, "acme", "before"))
		assert.Equal(t, []string{"v3[0]"}, hits(t, s, db.Search{Account: "acme", Query: search.Parse("third"), Lang: "de", N: 10}))
		assert.Empty(t, hits(t, s, db.Search{Account: "acme", Query: search.Parse("third"), Lang: "en", N: 10}))
		assert.Empty(t, finds(t, s, "beta", "zebra"))

		keep(t, s, "beta", said("v1", "en", "zebra", "before")) // the same text: its index comes back
		assert.Equal(t, []string{"v1[0]"}, finds(t, s, "beta", "zebra before"))
		bind(t, s, "beta", 1)
		assert.Equal(t, []string{"v1[0]"}, finds(t, s, "beta", "zebra before"))

		put(t, s, said("v1", "en", "after")) // two accounts have the text
		for _, account := range []string{"acme", "beta"} {
			assert.Empty(t, finds(t, s, account, "zebra"))
			assert.Equal(t, []string{"v1[0]"}, finds(t, s, account, "after"))
			bind(t, s, account, 1)
			assert.Empty(t, finds(t, s, account, "zebra"))
			assert.Equal(t, []string{"v1[0]"}, finds(t, s, account, "after"))
		}
		put(t, s, said("v3", "de", "fourth")) // one account has the text
		require.NoError(t, s.PurgeTexts(t.Context(), "acme"))
		assert.Zero(t, raw.bytesOf(t, "zither"))
		bind(t, s, "acme", 1)

		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Library.Remove(ctx, "acme", library.Key{Platform: transcript.VideoSite, ExternalID: "v3"}))
		})
		assert.Empty(t, finds(t, s, "acme", "fourth"))
		require.NoError(t, s.PurgeTexts(t.Context(), "acme"))
		assert.Zero(t, raw.bytesOf(t, "fourth"))
		assert.Equal(t, []string{"v2[0]"}, finds(t, s, "acme", "other"))
	})
}

// TestSearchVolumesGrow: many texts end in few volumes, and a search finds the same as before.
func TestSearchVolumesGrow(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, raw := dbtest.Open(t, o), open(t, o)
		var before []string
		for n := range 20 {
			keep(t, s, "acme", said(fmt.Sprint("v", n), "en", fmt.Sprint("word ", n), strings.Repeat("often ", n)))
		}
		for _, q := range []string{"word", "often", `"word 7"`, "1*", "often 19"} {
			before = append(before, finds(t, s, "acme", q)...)
		}
		bind(t, s, "acme", 2)
		assert.Equal(t, 3, raw.count(t, "search_volumes"), "eight of the ten volumes are one")
		var after []string
		for _, q := range []string{"word", "often", `"word 7"`, "1*", "often 19"} {
			after = append(after, finds(t, s, "acme", q)...)
		}
		assert.Equal(t, before, after)
	})
}

// TestSavedTextsAreBound: an account that has saved enough texts has an index of many.
func TestSavedTextsAreBound(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, raw := dbtest.Open(t, o), open(t, o)
		bound := make(chan string, 100)
		r, err := s.Queue.NewRunner(queue.Workers{Process: "p", Queues: map[string]int{db.IndexQueue: 1}, Workers: []queue.Worker{
			queue.NewWorker(time.Minute, func(ctx context.Context, _ queue.Row, step db.IndexStep) error {
				bound <- step.Account
				return s.BindTexts(ctx, step.Account, 64)
			}),
		}})
		require.NoError(t, err)
		require.NoError(t, r.Start(t.Context()))
		t.Cleanup(func() { require.NoError(t, r.Stop(context.WithoutCancel(t.Context()))) })
		for n := range 63 {
			keep(t, s, "acme", said(fmt.Sprint("v", n), "en", "word"))
		}
		assert.Empty(t, bound)
		for n := 63; len(bound) == 0; n++ { // one text in eight asks whether there are enough
			require.Less(t, n, 1000)
			keep(t, s, "acme", said(fmt.Sprint("v", n), "en", "word"))
		}
		assert.Equal(t, "acme", <-bound)
		require.Eventually(t, func() bool { return raw.count(t, "search_volumes") >= 1 }, time.Minute, 10*time.Millisecond)
		assert.Len(t, finds(t, s, "acme", "word"), 10)
	})
}

// TestSearchWhileTextsMove: accounts save, change and remove texts while the index moves them.
// Afterwards a search finds what the libraries have.
func TestSearchWhileTextsMove(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		accounts := []string{"acme", "beta"}
		var all sync.WaitGroup
		for worker := range 3 {
			all.Go(func() {
				for n := range 15 {
					account, id := accounts[(n+worker)%2], fmt.Sprint("v", (n*7+worker)%5)
					err := s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
						text, err := tx.Transcripts.Put(ctx, said(id, "en", fmt.Sprint("word ", id, " ", n%3)))
						if err != nil {
							return err
						}
						return tx.Library.Save(ctx, text, account, "")
					})
					assert.NoError(t, err)
					if n%4 == 3 {
						err = s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
							return tx.Library.Remove(ctx, account, library.Key{Platform: transcript.VideoSite, ExternalID: id})
						})
						if err != nil {
							assert.ErrorIs(t, err, db.ErrNotFound)
						}
					}
				}
			})
		}
		for _, account := range accounts {
			all.Go(func() {
				for range 15 {
					assert.NoError(t, s.BindTexts(t.Context(), account, 1))
				}
			})
		}
		all.Wait()
		for range 2 {
			for _, account := range accounts {
				saved, err := s.Library.All(t.Context(), account)
				require.NoError(t, err)
				assert.Len(t, finds(t, s, account, "word"), len(saved))
				for _, row := range saved {
					text, err := s.Transcripts.ByID(t.Context(), row.TranscriptID)
					require.NoError(t, err)
					whole, err := text.Whole()
					require.NoError(t, err)
					assert.Equal(t, []string{row.ExternalID + "[0]"}, finds(t, s, account, `"`+whole.Segments[0].Text+`"`))
				}
				bind(t, s, account, 1)
			}
		}
	})
}
