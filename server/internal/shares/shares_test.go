package shares_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/shares"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// put saves a text for an account.
func put(t *testing.T, s *db.Store, externalID, account string) library.Key {
	t.Helper()
	text := &db.Transcript{Transcript: transcript.Transcript{
		Platform: transcript.VideoSite, ExternalID: externalID, Lang: "en", Source: transcript.OriginASR, Status: transcript.Ready,
	}, SegmentsJSON: packed.Pack(wire.AppendSegments(nil, []transcript.Segment{{Text: "a"}}))}
	require.NoError(t, s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		id, err := tx.Transcripts.Put(ctx, text)
		return errors.Join(err, tx.Library.Save(ctx, id, account, ""))
	}))
	return library.Key{Platform: transcript.VideoSite, ExternalID: externalID}
}

// do sends a statement of the test.
func do(t *testing.T, s *db.Store, statement string) {
	t.Helper()
	_, err := s.SQL().Writer().ExecContext(t.Context(), statement)
	require.NoError(t, err)
}

func count(t *testing.T, s *db.Store) (n int) {
	t.Helper()
	require.NoError(t, s.SQL().Reader().NewRaw("SELECT count(*) FROM shares").Scan(t.Context(), &n))
	return n
}

// The bounds hold when links are made at once. Links that have ended count no more.
func TestBoundsHoldAtOnce(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		links := shares.New(s)
		key := put(t, s, "v1", "acme")
		create := func(key library.Key) error {
			_, _, err := links.Create(t.Context(), "acme", key, nil, nil)
			return err
		}
		atOnce := func() (refused int) {
			errs := make([]error, shares.MostOfText+5)
			var all sync.WaitGroup
			for i := range errs {
				all.Go(func() { errs[i] = create(key) })
			}
			all.Wait()
			for _, err := range errs {
				if err != nil {
					assert.ErrorIs(t, err, transcript.StateConflict)
					refused++
				}
			}
			return refused
		}
		assert.Equal(t, 5, atOnce())
		do(t, s, "UPDATE shares SET expires_at = '2026-01-02 03:04:05.5+00:00'")
		assert.Equal(t, 5, atOnce(), "those that have ended count no more")

		other := put(t, s, "v2", "acme")
		require.NoError(t, create(other))
		do(t, s, fmt.Sprintf(`INSERT INTO shares (id, account, row_id, hash, created_at, expires_at)
			SELECT 'i' || n, 'acme', (SELECT id FROM library_rows WHERE external_id = 'v2'), 'h' || n, '2026-01-02 03:04:05.5+00:00', '2100-01-01 00:00:00+00:00'
			FROM (WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < %d) SELECT n FROM s) AS numbers`, shares.MostOfAccount-shares.MostOfText-2))
		third := put(t, s, "v3", "acme")
		require.NoError(t, create(third))
		require.ErrorIs(t, create(third), transcript.StateConflict, "the account has as many as it may have")
		_, _, err := links.Create(t.Context(), "beta", put(t, s, "v4", "beta"), nil, nil)
		require.NoError(t, err)
	})
}

// The sweep removes the links that have ended, and no other.
func TestSweepRemovesWhatHasEnded(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		links, key := shares.New(s), put(t, s, "v1", "acme")
		soon := time.Now().Add(time.Hour)
		_, token, err := links.Create(t.Context(), "acme", key, &soon, nil)
		require.NoError(t, err)
		ended, _, err := links.Create(t.Context(), "acme", key, nil, nil)
		require.NoError(t, err)
		do(t, s, "UPDATE shares SET expires_at = '2026-01-02 03:04:05.5+00:00' WHERE id = '"+ended.ID+"'")
		require.Equal(t, 2, count(t, s))
		require.NoError(t, dbtest.Sweep(t.Context(), s, 0, time.Hour))
		assert.Equal(t, 1, count(t, s))
		_, saved, err := links.At(t.Context(), token)
		require.NoError(t, err)
		assert.NotEmpty(t, saved.TranscriptID)
		_, _, err = links.Renew(t.Context(), "beta", ended.ID)
		assert.ErrorIs(t, err, transcript.NotFound)
	})
}

// The links of a text go with the row of the text.
func TestLinksGoWithTheirText(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		links, key := shares.New(s), put(t, s, "v1", "acme")
		_, token, err := links.Create(t.Context(), "acme", key, nil, nil)
		require.NoError(t, err)
		require.NoError(t, s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error { return tx.Library.Remove(ctx, "acme", key) }))
		assert.Zero(t, count(t, s))
		_, _, err = links.At(t.Context(), token)
		require.ErrorIs(t, err, shares.ErrNone)
		_, _, err = links.Create(t.Context(), "acme", key, nil, nil)
		require.ErrorIs(t, err, transcript.NoTranscript)
		_, err = links.List(t.Context(), "acme", key)
		assert.ErrorIs(t, err, transcript.NoTranscript)
	})
}
