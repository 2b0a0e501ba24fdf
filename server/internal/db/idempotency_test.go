package db_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
)

// take takes a key at the given time, or tells who has it.
func take(t *testing.T, s *db.Store, k db.IdempotencyKey, print string, at time.Time) db.KeyState {
	t.Helper()
	var fingerprint []byte
	if print != "" {
		fingerprint = []byte(print)
	}
	r, err := s.TakeKey(t.Context(), k, fingerprint, at)
	require.NoError(t, err)
	return r
}

// held takes a key that must be free.
func held(t *testing.T, s *db.Store, k db.IdempotencyKey, print string, at time.Time) db.HeldKey {
	t.Helper()
	r := take(t, s, k, print, at)
	require.NotNil(t, r.Held)
	require.Nil(t, r.Answer)
	return *r.Held
}

func record(t *testing.T, s *db.Store, h db.HeldKey, print string, a db.Answer, final bool) error {
	t.Helper()
	return s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		h.Fingerprint = []byte(print)
		return tx.RecordAnswer(ctx, &h, a, final)
	})
}

// settleKey returns the answer that is to be sent.
func settleKey(t *testing.T, s *db.Store, h db.HeldKey, a db.Answer) db.Answer {
	t.Helper()
	stands, err := s.SettleKey(t.Context(), h, a)
	require.NoError(t, err)
	return stands
}

func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		ctx, start := t.Context(), now()
		key := db.IdempotencyKey{Account: "acme", Method: "POST", Route: "/v1/transcript", Key: "it's ? one"}
		first := held(t, s, key, "one", start)
		require.Equal(t, db.KeyState{Fingerprint: []byte("one")}, take(t, s, key, "two", start.Add(time.Minute)), "it still runs")

		// Every part of the key counts.
		for _, other := range []db.IdempotencyKey{
			{Account: "beta", Method: "POST", Route: key.Route, Key: key.Key},
			{Account: "acme", Method: "PUT", Route: key.Route, Key: key.Key},
			{Account: "acme", Method: "POST", Route: "/v1/batch", Key: key.Key},
			{Account: "acme", Method: "POST", Route: key.Route, Key: "two"},
		} {
			held(t, s, other, "one", start)
		}

		// A beat keeps it for another minute; silence frees it.
		require.NoError(t, s.BeatKey(ctx, first, start.Add(50*time.Second)))
		require.Nil(t, take(t, s, key, "two", start.Add(110*time.Second)).Held)
		again := start.Add(110*time.Second + time.Millisecond)
		second := held(t, s, key, "two", again)

		// Released, it is free at once, and an unknown fingerprint is nil.
		require.NoError(t, s.ReleaseKey(ctx, second))
		third := held(t, s, key, "", again)
		require.Equal(t, db.KeyState{}, take(t, s, key, "three", again), "taken, fingerprint open")

		// With a final answer, it answers for a day from when it was taken.
		answer := db.Answer{Kind: db.TranscriptAnswer, ID: "t"}
		require.NoError(t, record(t, s, third, "one", answer, true))
		require.ErrorIs(t, record(t, s, third, "one", db.Answer{Kind: db.JobAnswer, ID: "j"}, true), db.ErrKeyLost)
		require.NoError(t, s.ReleaseKey(ctx, third), "a final answer is kept")
		require.Equal(t, answer, settleKey(t, s, third, db.Answer{}))
		require.ErrorIs(t, s.BeatKey(ctx, third, again), db.ErrKeyLost)
		want := db.KeyState{Fingerprint: []byte("one"), Answer: &answer}
		require.Equal(t, want, take(t, s, key, "four", again.Add(24*time.Hour)))
		held(t, s, key, "four", again.Add(24*time.Hour+time.Millisecond))
		require.Equal(t, db.KeyState{Fingerprint: []byte("four")}, take(t, s, key, "five", again.Add(24*time.Hour+time.Second)),
			"the old answer is gone")
	})
}

// A request that has written what its answer speaks of, and goes on, runs until
// it says how it ended.
func TestSettledKeys(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		ctx, at := t.Context(), now()
		key := db.IdempotencyKey{Account: "acme", Method: "POST", Route: "/v1/transcript", Key: "k"}
		accepted := db.Answer{Kind: db.JobAnswer, ID: "j"}
		begin := func() db.HeldKey {
			h := held(t, s, key, "", at)
			require.NoError(t, record(t, s, h, "fp", accepted, false))
			require.Equal(t, db.KeyState{Fingerprint: []byte("fp")}, take(t, s, key, "", at), "it still runs")
			return h
		}
		h := begin()
		require.Zero(t, settleKey(t, s, h, db.Answer{}))
		h = begin() // a forgotten answer leaves the key free
		done := db.Answer{Kind: db.OutcomeAnswer, ID: "j"}
		require.Equal(t, done, settleKey(t, s, h, done))
		require.Equal(t, db.KeyState{Fingerprint: []byte("fp"), Answer: &done}, take(t, s, key, "", at))

		key.Key = "released"
		h = begin()
		require.NoError(t, s.ReleaseKey(ctx, h))
		require.Equal(t, &accepted, take(t, s, key, "", at).Answer, "what was written is told")

		// Silent for 15 s it is taken for dead, and what was recorded is the last word.
		key.Key = "silent"
		h = begin()
		require.NoError(t, s.BeatKey(ctx, h, at.Add(10*time.Second)))
		require.Nil(t, take(t, s, key, "", at.Add(25*time.Second)).Answer)
		require.Equal(t, &accepted, take(t, s, key, "", at.Add(25*time.Second+time.Millisecond)).Answer)
		require.Equal(t, accepted, settleKey(t, s, h, done), "it lived, and learns of it")
		require.Equal(t, accepted, settleKey(t, s, h, db.Answer{}))
		require.Equal(t, &accepted, take(t, s, key, "", at).Answer)
	})
}

// A request that was silent for too long can neither free nor finish what its
// successor holds.
func TestSuccessorsKeyIsItsOwn(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		ctx, at := t.Context(), now()
		key := db.IdempotencyKey{Account: "acme", Method: "POST", Route: "/v1/transcript", Key: "k"}
		late := held(t, s, key, "fp", at)
		at = at.Add(61 * time.Second)
		successor := held(t, s, key, "fp", at)
		require.NotEqual(t, late.Token, successor.Token)

		require.NoError(t, s.ReleaseKey(ctx, late))
		require.ErrorIs(t, s.BeatKey(ctx, late, at.Add(time.Hour)), db.ErrKeyLost)
		_, err := s.SettleKey(ctx, late, db.Answer{})
		require.ErrorIs(t, err, db.ErrKeyLost)
		require.ErrorIs(t, record(t, s, late, "fp", db.Answer{Kind: db.JobAnswer, ID: "late"}, true), db.ErrKeyLost)
		require.Equal(t, db.KeyState{Fingerprint: []byte("fp")}, take(t, s, key, "fp", at), "the successor runs")

		answer := db.Answer{Kind: db.JobAnswer, ID: "j"}
		require.NoError(t, record(t, s, successor, "fp", answer, true))
		require.Equal(t, &answer, take(t, s, key, "fp", at).Answer)
	})
}

func TestRecordedAnswerGoesWithItsTransaction(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		key := db.IdempotencyKey{Account: "acme", Method: "POST", Route: "/", Key: "k"}
		h := held(t, s, key, "", now())
		require.ErrorIs(t, s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
			require.NoError(t, tx.RecordAnswer(ctx, &h, db.Answer{Kind: db.JobAnswer, ID: "j"}, true))
			return errUndo
		}), errUndo)
		require.Equal(t, db.KeyState{}, take(t, s, key, "", now()))
		require.NoError(t, s.ReleaseKey(t.Context(), h))
		held(t, s, key, "", now())
	})
}

func TestOneTakesAKey(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		key := db.IdempotencyKey{Account: "acme", Method: "POST", Route: "/", Key: "k"}
		var taken atomic.Int64
		var g errgroup.Group
		at := now()
		for range 50 {
			g.Go(func() error {
				r, err := s.TakeKey(t.Context(), key, []byte("x"), at)
				if r.Held != nil {
					taken.Add(1)
				}
				return err
			})
		}
		require.NoError(t, g.Wait())
		require.EqualValues(t, 1, taken.Load())
	})
}

// Keys that an earlier version has remembered, with the status of their answers,
// speak of the same things; and back.
func TestMigrationKeepsAnswers(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, err := db.Open(t.Context(), o)
		require.NoError(t, err)
		require.NoError(t, s.Close())
		raw := open(t, o)
		goBack(t, raw, o, 8)
		at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		keys := map[string]struct {
			old  string // done, status, job_id, transcript_id
			want *db.Answer
		}{
			"accepted":  {"true, 202, 'j', ''", &db.Answer{Kind: db.JobAnswer, ID: "j"}},
			"result":    {"true, 200, 'j', ''", &db.Answer{Kind: db.OutcomeAnswer, ID: "j"}},
			"not there": {"true, 404, 'j', ''", &db.Answer{Kind: db.OutcomeAnswer, ID: "j"}},
			"cached":    {"true, 200, '', 't'", &db.Answer{Kind: db.TranscriptAnswer, ID: "t"}},
			"waits":     {"false, 202, 'j', ''", nil},
			"runs":      {"false, 0, '', ''", nil},
		}
		for name, k := range keys {
			raw.exec(t, `INSERT INTO idempotency_keys (account, method, route, key, fingerprint, token, done, status, job_id, transcript_id, taken_at, beat_at)
				VALUES ('acme', 'POST', '/', '`+name+`', 'fp', 'token', `+k.old+`, '2026-01-02 03:04:05', '2026-01-02 03:04:05')`)
		}
		s = dbtest.Open(t, o)
		for name, k := range keys {
			key := db.IdempotencyKey{Account: "acme", Method: "POST", Route: "/", Key: name}
			require.Equal(t, db.KeyState{Fingerprint: []byte("fp"), Answer: k.want}, take(t, s, key, "fp", at), name)
		}
		goBack(t, raw, o, 8)
		var same int
		require.NoError(t, raw.QueryRowContext(t.Context(), `SELECT count(*) FROM idempotency_keys
			WHERE (key IN ('accepted', 'waits') AND status = 202 AND job_id = 'j')
			OR (key = 'result' AND status = 200 AND job_id = 'j') OR (key = 'not there' AND job_id = 'j')
			OR (key = 'cached' AND status = 200 AND transcript_id = 't') OR (key = 'runs' AND status = 0 AND job_id = '')`).Scan(&same))
		require.Equal(t, len(keys), same)
	})
}
