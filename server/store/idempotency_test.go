package store_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/server/store/storetest"
)

func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, start := t.Context(), now()
		key := store.IdempotencyKey{Account: "acme", Method: "POST", Route: "/v1/transcript", Key: "it's ? one"}
		take := func(k store.IdempotencyKey, print string, at time.Time) store.Remembered {
			r, err := s.TakeKey(ctx, k, []byte(print), at)
			require.NoError(t, err)
			return r
		}
		fp := []byte("one")
		require.Equal(t, store.Remembered{Taken: true, Fingerprint: fp}, take(key, "one", start))
		require.Equal(t, store.Remembered{Fingerprint: fp}, take(key, "two", start.Add(time.Minute)), "it still runs")

		// Every part of the key counts.
		for _, other := range []store.IdempotencyKey{
			{Account: "beta", Method: "POST", Route: key.Route, Key: key.Key},
			{Account: "acme", Method: "PUT", Route: key.Route, Key: key.Key},
			{Account: "acme", Method: "POST", Route: "/v1/batch", Key: key.Key},
			{Account: "acme", Method: "POST", Route: key.Route, Key: "two"},
		} {
			require.True(t, take(other, "one", start).Taken, other)
		}

		// A beat keeps it for another minute; silence frees it.
		require.NoError(t, s.BeatKey(ctx, key, start.Add(50*time.Second)))
		require.False(t, take(key, "two", start.Add(110*time.Second)).Taken)
		again := start.Add(110*time.Second + time.Millisecond)
		require.True(t, take(key, "two", again).Taken)

		// Freed, it is free at once, and an unknown fingerprint is nil.
		require.NoError(t, s.FreeKey(ctx, key))
		r, err := s.TakeKey(ctx, key, nil, again)
		require.NoError(t, err)
		require.Equal(t, store.Remembered{Taken: true}, r)
		require.Equal(t, store.Remembered{}, take(key, "three", again), "taken, fingerprint open")

		// Finished, it answers for a day from when it was taken.
		answer := store.Answer{Status: 202, JobID: "j", TranscriptID: "t"}
		inTx(t, s, func(ctx context.Context, tx *store.Tx) {
			require.NoError(t, tx.FinishKey(ctx, key, fp, answer, again.Add(time.Second)))
			require.ErrorIs(t, tx.FinishKey(ctx, key, fp, store.Answer{Status: 200}, again), store.ErrExists)
		})
		require.NoError(t, s.FreeKey(ctx, key), "a finished key is not freed")
		require.NoError(t, s.BeatKey(ctx, key, again))
		want := store.Remembered{Fingerprint: fp, Answer: &answer}
		require.Equal(t, want, take(key, "four", again.Add(24*time.Hour)))
		require.True(t, take(key, "four", again.Add(24*time.Hour+time.Millisecond)).Taken)
		require.Equal(t, store.Remembered{Fingerprint: []byte("four")}, take(key, "five", again.Add(24*time.Hour+time.Second)),
			"the old answer is gone")
	})
}

func TestFinishKeyGoesWithItsTransaction(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		key := store.IdempotencyKey{Account: "acme", Method: "POST", Route: "/", Key: "k"}
		_, err := s.TakeKey(t.Context(), key, nil, now())
		require.NoError(t, err)
		require.ErrorIs(t, s.InTx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			require.NoError(t, tx.FinishKey(ctx, key, nil, store.Answer{Status: 200}, now()))
			return errUndo
		}), errUndo)
		r, err := s.TakeKey(t.Context(), key, nil, now())
		require.NoError(t, err)
		require.Equal(t, store.Remembered{}, r)
	})
}

func TestOneTakesAKey(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		key := store.IdempotencyKey{Account: "acme", Method: "POST", Route: "/", Key: "k"}
		var taken atomic.Int64
		var g errgroup.Group
		at := now()
		for range 50 {
			g.Go(func() error {
				r, err := s.TakeKey(t.Context(), key, []byte("x"), at)
				if r.Taken {
					taken.Add(1)
				}
				return err
			})
		}
		require.NoError(t, g.Wait())
		require.EqualValues(t, 1, taken.Load())
	})
}

func TestAmendKey(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, at := t.Context(), now()
		key := store.IdempotencyKey{Account: "acme", Method: "POST", Route: "/v1/transcript", Key: "k"}
		taken, err := s.TakeKey(ctx, key, nil, at)
		require.NoError(t, err)
		require.True(t, taken.Taken)
		inTx(t, s, func(ctx context.Context, tx *store.Tx) {
			require.NoError(t, tx.FinishKey(ctx, key, []byte("fp"), store.Answer{Status: 202, JobID: "j"}, at))
		})
		remembered := func() store.Remembered {
			r, err := s.TakeKey(ctx, key, nil, at)
			require.NoError(t, err)
			return r
		}

		require.NoError(t, s.AmendKey(ctx, key, "another", nil))
		require.NotNil(t, remembered().Answer, "an answer that speaks of another job is left alone")

		require.NoError(t, s.AmendKey(ctx, key, "j", &store.Answer{Status: 200, JobID: "j"}))
		require.Equal(t, 200, remembered().Answer.Status)
		require.Equal(t, []byte("fp"), remembered().Fingerprint)

		require.NoError(t, s.AmendKey(ctx, key, "j", nil))
		require.True(t, remembered().Taken, "a forgotten answer leaves the key free")
	})
}
