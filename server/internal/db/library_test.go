package db_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// TestRoomInTheLibrary has rows of all kinds beside each other, and refuses what
// would be two rows for one thing, or a row that lacks what its kind is about.
func TestRoomInTheLibrary(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		id := put(t, dbtest.Open(t, o), &db.Transcript{Transcript: transcript.Transcript{
			Platform: transcript.VideoSite, ExternalID: "v1", Lang: "en", Source: transcript.OriginASR, Status: transcript.Ready,
		}, SegmentsJSON: packed.Pack([]byte("[]"))})
		raw := open(t, o)
		insert := func(id, kind, externalID, lang, languages string, job, text, code any) error {
			statement := `INSERT INTO library_rows (id, account, kind, platform, external_id, lang, languages, job_id, transcript_id, error_code,
				starred, created_at, updated_at) VALUES ($1, 'acme', $2, 'video_site', $3, $4, $5, $6, $7, $8, false, '2026-01-02', '2026-01-02')`
			_, err := raw.ExecContext(t.Context(), statement, id, kind, externalID, lang, languages, job, text, code)
			return err
		}
		require.NoError(t, insert("1", "transcript", "v1", "en", "", nil, id, nil))
		require.NoError(t, insert("2", "pending", "v1", "en", "", "j1", nil, nil), "asked for again, without a list")
		require.NoError(t, insert("3", "pending", "v1", "en", "en", "j2", nil, nil), "with another list")
		require.NoError(t, insert("4", "failed", "v1", "de", "de,asr", "j3", nil, "NO_TRANSCRIPT"))
		require.NoError(t, insert("5", "batch", "b1", "", "", nil, nil, nil))

		require.Error(t, insert("6", "transcript", "v1", "en", "", nil, id, nil), "a second row of the text")
		require.Error(t, insert("6", "failed", "v1", "en", "en", "j4", nil, "NO_TRANSCRIPT"), "a second row of the request")
		require.Error(t, insert("6", "batch", "b1", "", "", nil, nil, nil), "a second row of the batch")
		require.Error(t, insert("6", "transcript", "v1", "de", "", nil, nil, nil), "no text")
		require.Error(t, insert("6", "pending", "v2", "en", "en", nil, nil, nil), "no job")
		require.Error(t, insert("6", "failed", "v2", "en", "en", "j5", nil, nil), "no reason")
		require.Error(t, insert("6", "other", "v2", "en", "en", nil, nil, nil))
		assert.Equal(t, 5, raw.count(t, "library_rows"))
	})
}

// TestLibraryFindsTheTitle of a text as it is now, also where another account has
// had it made anew.
func TestLibraryFindsTheTitle(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		title := func(title, channel string) string {
			return put(t, s, &db.Transcript{Transcript: transcript.Transcript{
				Platform: transcript.VideoSite, ExternalID: "v1", Lang: "en", Source: transcript.OriginASR, Status: transcript.Ready,
				Title: &title, Channel: &channel,
			}, SegmentsJSON: packed.Pack([]byte("[]"))})
		}
		first := title("Ä first", "Straße")
		inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Library.Save(ctx, first, "acme", "")) })
		for _, want := range []string{"a first", "a second"} {
			saved, err := s.Library.All(t.Context(), "acme")
			require.NoError(t, err)
			require.Len(t, saved, 1)
			assert.Equal(t, want, saved[0].FoldedTitle)
			assert.Equal(t, "strasse", saved[0].FoldedChannel)
			title("Å second", "STRASSE")
		}
	})
}

func TestLibrary(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		library := func(account string) []db.LibraryRow {
			rows, err := s.Library.All(t.Context(), account)
			require.NoError(t, err)
			return rows
		}
		text := func(source transcript.Origin) string {
			return put(t, s, &db.Transcript{Transcript: transcript.Transcript{
				Platform: transcript.VideoSite, ExternalID: "v1", Lang: "en", Source: source, Status: transcript.Ready,
			}, SegmentsJSON: packed.Pack([]byte("[]"))})
		}
		first, second := text(transcript.OriginDownloader), text(transcript.OriginASR)

		inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, save(ctx, tx, first, "acme", "beta")) })
		rows := library("acme")
		require.Len(t, rows, 1)
		assert.Equal(t, first, rows[0].TranscriptID)
		assert.Equal(t, "v1", rows[0].ExternalID)
		assert.Equal(t, "en", rows[0].Lang)
		require.Len(t, library("beta"), 1)
		assert.NotEqual(t, rows[0].ID, library("beta")[0].ID)
		assert.Empty(t, library("gamma"))

		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Library.Save(ctx, second, "acme", ""))
			require.ErrorIs(t, tx.Library.Save(ctx, "none", "acme", ""), db.ErrNotFound)
		})
		again := library("acme")
		require.Len(t, again, 1, "one row for a content and language")
		assert.Equal(t, second, again[0].TranscriptID)
		assert.Equal(t, rows[0].ID, again[0].ID)
		assert.Equal(t, first, library("beta")[0].TranscriptID, "another account's row was changed")
	})
}

// save puts a text into several libraries.
func save(ctx context.Context, tx *db.Tx, id string, accounts ...string) error {
	for _, account := range accounts {
		if err := tx.Library.Save(ctx, id, account, ""); err != nil {
			return err
		}
	}
	return nil
}

// TestSavesDoNotDeadlock has two texts of one content made anew, under new titles,
// while the same accounts save one and the other.
func TestSavesDoNotDeadlock(t *testing.T) {
	t.Parallel()
	dbtest.Both(t, func(t *testing.T, s *db.Store) {
		accounts := make([]string, 20)
		for i := range accounts {
			accounts[i] = fmt.Sprintf("%02d", i)
		}
		var runs atomic.Int64
		publish := func(source transcript.Origin, title string, accounts ...string) error {
			return s.InTx(db.Unhurried(t.Context()), func(ctx context.Context, tx *db.Tx) error {
				runs.Add(1)
				id, err := tx.Transcripts.Put(ctx, titled(source, title))
				if err != nil {
					return err
				}
				return save(ctx, tx, id, accounts...)
			})
		}
		texts := 20
		if testing.Short() {
			texts = 6
		}
		backwards := slices.Clone(accounts)
		slices.Reverse(backwards)
		var g errgroup.Group
		for i := range texts {
			g.Go(func() error { return publish(transcript.OriginASR, fmt.Sprint(i), backwards[i%2*10:]...) })
			g.Go(func() error { return publish(transcript.OriginDownloader, fmt.Sprint(i), accounts...) })
		}
		require.NoError(t, g.Wait())
		require.EqualValues(t, 2*texts, runs.Load(), "none was run again")
	})
}

// TestSaveWhileTheTitleChanges saves a text whose new title is not committed yet.
func TestSaveWhileTheTitleChanges(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	s, raw := dbtest.Open(t, o), open(t, o)
	id := put(t, s, titled(transcript.OriginASR, "before"))
	saved := make(chan error, 1)
	inTx(t, s, func(ctx context.Context, tx *db.Tx) {
		_, err := tx.Transcripts.Put(ctx, titled(transcript.OriginASR, "after"))
		require.NoError(t, err)
		go func() {
			saved <- s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error { return tx.Library.Save(ctx, id, "acme", "") })
		}()
		require.Eventually(t, func() bool { // it has ended, or waits for this transaction
			return len(saved) > 0 || raw.count(t, "pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())") > 0
		}, time.Minute, time.Millisecond)
	})
	require.NoError(t, receive(t, saved))
	rows, err := s.Library.All(t.Context(), "acme")
	require.NoError(t, err)
	require.Len(t, rows, 1)
	assert.Equal(t, "after", rows[0].FoldedTitle)
}

func titled(source transcript.Origin, title string) *db.Transcript {
	return &db.Transcript{Transcript: transcript.Transcript{
		Platform: transcript.VideoSite, ExternalID: "v1", Lang: "en", Source: source, Status: transcript.Ready, Title: &title,
	}, SegmentsJSON: packed.Pack([]byte("[]"))}
}
