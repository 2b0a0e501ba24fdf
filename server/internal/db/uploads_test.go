package db_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// manyUploads is a bound that no test reaches.
var manyUploads = db.Unfinished{Count: 1000, Bytes: -1}

// beginUpload begins an upload of acme.
func beginUpload(t *testing.T, s *db.Store) *db.Upload {
	t.Helper()
	u := &db.Upload{Account: "acme", Sum: []byte("state"), Wishes: "waitMs=0", Name: "a\x00b.mp3"}
	require.NoError(t, s.Uploads.Begin(t.Context(), u, 100, manyUploads))
	return u
}

// advance stores that an upload has come so many bytes farther.
func advance(ctx context.Context, s *db.Store, u *db.Upload, bytes int64) error {
	next := *u
	next.Received += bytes
	next.Sum = []byte("next")
	err := s.Uploads.Keep(ctx, &next, u.Received)
	if err == nil {
		*u = next
	}
	return err
}

// One request at a time moves an upload: the request that has taken it last.
func TestUploadBelongsToTheLastRequest(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		first := beginUpload(t, s)
		require.NoError(t, advance(t.Context(), s, first, 10))
		second, err := s.Uploads.Take(t.Context(), "acme", first.ID)
		require.NoError(t, err)
		assert.Equal(t, int64(10), second.Received)
		assert.Equal(t, []byte("next"), second.Sum)
		assert.Equal(t, "waitMs=0", second.Wishes)
		assert.Equal(t, "ab.mp3", second.Name)
		assert.Nil(t, second.Length)
		require.ErrorIs(t, advance(t.Context(), s, first, 10), db.ErrTakenOver)
		require.NoError(t, advance(t.Context(), s, second, 5))
		stale := *second
		stale.Received = 10
		require.ErrorIs(t, advance(t.Context(), s, &stale, 10), db.ErrTakenOver, "the upload is not where the request believes")

		second.Length, second.Complete = new(int64(15)), true
		require.NoError(t, s.Uploads.Keep(t.Context(), second, 15))
		third, err := s.Uploads.Take(t.Context(), "acme", first.ID)
		require.NoError(t, err)
		assert.Equal(t, int64(15), *third.Length)
		require.ErrorIs(t, advance(t.Context(), s, third, 1), db.ErrTakenOver, "a whole upload does not grow")
	})
}

func TestUploadBelongsToItsAccount(t *testing.T) {
	t.Parallel()
	dbtest.Both(t, func(t *testing.T, s *db.Store) {
		u := beginUpload(t, s)
		_, err := s.Uploads.Take(t.Context(), "globex", u.ID)
		require.ErrorIs(t, err, db.ErrNotFound)
		_, err = s.Uploads.Remove(t.Context(), "globex", u.ID)
		require.ErrorIs(t, err, db.ErrNotFound)
		theirs := *u
		theirs.Account = "globex"
		require.ErrorIs(t, advance(t.Context(), s, &theirs, 1), db.ErrTakenOver)
		u.Complete = true
		require.NoError(t, s.Uploads.Keep(t.Context(), u, 0))
		require.ErrorIs(t, recordAnswer(t, s, "globex", u.ID), db.ErrTakenOver)

		require.NoError(t, recordAnswer(t, s, "acme", u.ID))
		require.ErrorIs(t, recordAnswer(t, s, "acme", u.ID), db.ErrTakenOver, "it has an answer")
		removed, err := s.Uploads.Remove(t.Context(), "acme", u.ID)
		require.NoError(t, err)
		assert.Equal(t, db.Answer{Kind: db.JobAnswer, ID: "job"}, removed.Answer)
	})
}

func recordAnswer(t *testing.T, s *db.Store, account, id string) error {
	t.Helper()
	return s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		return tx.Uploads.Record(ctx, account, id, db.Answer{Kind: db.JobAnswer, ID: "job"})
	})
}

// Of uploads that begin at the same time, no more begin than the account may have.
func TestUnfinishedUploadsAreBounded(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		begin := func(length *int64, most db.Unfinished) error {
			return s.Uploads.Begin(context.WithoutCancel(t.Context()), &db.Upload{Account: "acme", Sum: []byte{1}, Length: length}, 100, most)
		}
		results := make(chan error, 10)
		for range cap(results) {
			go func() { results <- begin(nil, db.Unfinished{Count: 3, Bytes: -1}) }()
		}
		refused := 0
		for range cap(results) {
			if err := <-results; err != nil {
				require.ErrorIs(t, err, db.ErrTooManyUploads)
				refused++
			}
		}
		assert.Equal(t, 7, refused)
		require.NoError(t, begin(new(int64(10)), db.Unfinished{Count: 9, Bytes: 310}), "three of unknown length count as 100 bytes")
		require.ErrorIs(t, begin(new(int64(1)), db.Unfinished{Count: 9, Bytes: 310}), db.ErrTooManyUploads)
		require.ErrorIs(t, begin(nil, db.Unfinished{Count: 9, Bytes: 409}), db.ErrTooManyUploads)
	})
}

// The sweep removes uploads that nobody has asked for during a day, with their parts. It leaves
// the parts of an upload that grows, and of work that runs.
func TestSweepOfUploads(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, ctx := dbtest.Open(t, o), t.Context()
		old, growing, worked := beginUpload(t, s), beginUpload(t, s), beginUpload(t, s)
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			e := &db.Work{Owner: "acme", Platform: transcript.Upload, ExternalID: "x", State: queued, MediaKey: blobs.WholeKey("uploads/"+worked.ID, 1)}
			require.NoError(t, tx.Works.Insert(ctx, e))
		})
		yesterday := time.Now().Add(-25 * time.Hour)
		var parts []string
		for _, id := range []string{old.ID, growing.ID, worked.ID, "of-no-upload"} {
			key := blobs.PartKey("uploads/"+id, 0, 1)
			_, _, err := s.Blobs.PutPart(ctx, key, strings.NewReader("x"))
			require.NoError(t, err)
			require.NoError(t, os.Chtimes(filepath.Join(o.Blobs, key), yesterday, yesterday))
			parts = append(parts, key)
		}
		for _, id := range []string{old.ID, worked.ID} {
			open(t, o).exec(t, "UPDATE uploads SET seen_at = '"+yesterday.UTC().Format("2006-01-02 15:04:05+00:00")+"' WHERE id = '"+id+"'")
		}
		require.NoError(t, dbtest.Sweep(ctx, s, time.Hour, time.Hour))
		left, err := s.Blobs.Keys(ctx, "uploads/")
		require.NoError(t, err)
		assert.ElementsMatch(t, parts[1:3], left)
		_, err = s.Uploads.Take(ctx, "acme", old.ID)
		require.ErrorIs(t, err, db.ErrNotFound)
		_, err = s.Uploads.Take(ctx, "acme", growing.ID)
		require.NoError(t, err)
	})
}
