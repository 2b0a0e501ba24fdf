package db_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
)

// take takes a key, or tells who has it: without what is left of a lease, which must
// be more than 0 and no more than all of it.
func take(t *testing.T, s *db.Store, k db.IdempotencyKey, print string) db.KeyState {
	t.Helper()
	var fingerprint []byte
	if print != "" {
		fingerprint = []byte(print)
	}
	r, err := s.Idempotency.Take(t.Context(), k, fingerprint)
	require.NoError(t, err)
	if r.Held == nil && r.Answer == nil {
		require.Positive(t, r.Left)
		require.LessOrEqual(t, r.Left, db.KeyLease)
	} else {
		require.Zero(t, r.Left)
	}
	r.Left = 0
	return r
}

// held takes a key that must be free.
func held(t *testing.T, s *db.Store, k db.IdempotencyKey, print string) db.HeldKey {
	t.Helper()
	r := take(t, s, k, print)
	require.NotNil(t, r.Held)
	require.Nil(t, r.Answer)
	return *r.Held
}

// setKey sets the column taken_at or beat_at of a key to a time that was so long ago.
func (d database) setKey(t *testing.T, key, column string, ago time.Duration) {
	t.Helper()
	d.exec(t, fmt.Sprintf("UPDATE idempotency_keys SET %s = '%s' WHERE key = '%s'", column, time.Now().UTC().Add(-ago).Format("2006-01-02 15:04:05.999999-07:00"), key))
}

func record(t *testing.T, s *db.Store, h db.HeldKey, print string, a db.Answer, final bool) error {
	t.Helper()
	return s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		h.Fingerprint = []byte(print)
		return tx.Idempotency.Record(ctx, &h, a, final)
	})
}

// settleKey returns the answer that is to be sent.
func settleKey(t *testing.T, s *db.Store, h db.HeldKey, a db.Answer) db.Answer {
	t.Helper()
	stands, err := s.Idempotency.Settle(t.Context(), h, a)
	require.NoError(t, err)
	return stands
}

func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, raw := dbtest.Open(t, o), open(t, o)
		ctx := t.Context()
		key := db.IdempotencyKey{Account: "acme", Method: "POST", Route: "/v1/transcript", Key: "one ?"}
		first := held(t, s, key, "one")
		require.Equal(t, db.KeyState{Fingerprint: []byte("one")}, take(t, s, key, "two"), "it still runs")

		// Every part of the key counts.
		for _, other := range []db.IdempotencyKey{
			{Account: "beta", Method: "POST", Route: key.Route, Key: key.Key},
			{Account: "acme", Method: "PUT", Route: key.Route, Key: key.Key},
			{Account: "acme", Method: "POST", Route: "/v1/batch", Key: key.Key},
			{Account: "acme", Method: "POST", Route: key.Route, Key: "it's two"},
		} {
			held(t, s, other, "one")
		}

		// A beat renews the lease; without one it ends.
		raw.setKey(t, key.Key, "beat_at", db.KeyLease-3*time.Second)
		state, err := s.Idempotency.Take(ctx, key, nil)
		require.NoError(t, err)
		require.InDelta(t, 3, state.Left.Seconds(), 2, "what is left of it")
		require.NoError(t, s.Idempotency.Beat(ctx, first))
		state, err = s.Idempotency.Take(ctx, key, nil)
		require.NoError(t, err)
		require.InDelta(t, db.KeyLease.Seconds(), state.Left.Seconds(), 2)
		raw.setKey(t, key.Key, "beat_at", db.KeyLease+time.Millisecond)
		second := held(t, s, key, "two")

		// Released, it is free at once, and an unknown fingerprint is nil.
		require.NoError(t, s.Idempotency.Release(ctx, second))
		third := held(t, s, key, "")
		require.Equal(t, db.KeyState{}, take(t, s, key, "three"), "taken, fingerprint open")

		// With a final answer, it answers for a day from when it was taken.
		answer := db.Answer{Kind: db.TranscriptAnswer, ID: "t"}
		require.NoError(t, record(t, s, third, "one", answer, true))
		require.ErrorIs(t, record(t, s, third, "one", db.Answer{Kind: db.JobAnswer, ID: "j"}, true), db.ErrKeyLost)
		require.NoError(t, s.Idempotency.Release(ctx, third), "a final answer is kept")
		require.Equal(t, answer, settleKey(t, s, third, db.Answer{}))
		require.ErrorIs(t, s.Idempotency.Beat(ctx, third), db.ErrKeyLost)
		want := db.KeyState{Fingerprint: []byte("one"), Answer: &answer}
		raw.setKey(t, key.Key, "taken_at", 24*time.Hour-time.Minute)
		require.Equal(t, want, take(t, s, key, "four"))
		raw.setKey(t, key.Key, "taken_at", 24*time.Hour+time.Millisecond)
		held(t, s, key, "four")
		require.Equal(t, db.KeyState{Fingerprint: []byte("four")}, take(t, s, key, "five"), "the old answer is gone")
	})
}

// A request that has written what its answer speaks of, and goes on, runs until
// it says how it ended.
func TestSettledKeys(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, raw := dbtest.Open(t, o), open(t, o)
		ctx := t.Context()
		key := db.IdempotencyKey{Account: "acme", Method: "POST", Route: "/v1/transcript", Key: "k"}
		accepted := db.Answer{Kind: db.JobAnswer, ID: "j"}
		begin := func() db.HeldKey {
			h := held(t, s, key, "")
			require.NoError(t, record(t, s, h, "fp", accepted, false))
			require.Equal(t, db.KeyState{Fingerprint: []byte("fp")}, take(t, s, key, ""), "it still runs")
			return h
		}
		h := begin()
		require.Zero(t, settleKey(t, s, h, db.Answer{}))
		h = begin() // a forgotten answer leaves the key free
		done := db.Answer{Kind: db.OutcomeAnswer, ID: "j"}
		require.Equal(t, done, settleKey(t, s, h, done))
		require.Equal(t, db.KeyState{Fingerprint: []byte("fp"), Answer: &done}, take(t, s, key, ""))

		key.Key = "released"
		h = begin()
		require.NoError(t, s.Idempotency.Release(ctx, h))
		require.Equal(t, &accepted, take(t, s, key, "").Answer, "what was written is told")

		// When its lease has ended, what was recorded is the last word.
		key.Key = "silent"
		h = begin()
		raw.setKey(t, key.Key, "beat_at", db.KeyLease-3*time.Second)
		require.Nil(t, take(t, s, key, "").Answer)
		raw.setKey(t, key.Key, "beat_at", db.KeyLease+time.Millisecond)
		require.Equal(t, &accepted, take(t, s, key, "").Answer)
		require.Equal(t, accepted, settleKey(t, s, h, done), "it lived, and learns of it")
		require.Equal(t, accepted, settleKey(t, s, h, db.Answer{}))
		require.Equal(t, &accepted, take(t, s, key, "").Answer)
	})
}

// A request that was silent for too long can neither free nor finish what its
// successor holds.
func TestSuccessorsKeyIsItsOwn(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, raw := dbtest.Open(t, o), open(t, o)
		ctx := t.Context()
		key := db.IdempotencyKey{Account: "acme", Method: "POST", Route: "/v1/transcript", Key: "k"}
		late := held(t, s, key, "fp")
		raw.setKey(t, key.Key, "beat_at", db.KeyLease+time.Millisecond)
		successor := held(t, s, key, "fp")
		require.NotEqual(t, late.Token, successor.Token)

		require.NoError(t, s.Idempotency.Release(ctx, late))
		require.ErrorIs(t, s.Idempotency.Beat(ctx, late), db.ErrKeyLost)
		_, err := s.Idempotency.Settle(ctx, late, db.Answer{})
		require.ErrorIs(t, err, db.ErrKeyLost)
		require.ErrorIs(t, record(t, s, late, "fp", db.Answer{Kind: db.JobAnswer, ID: "late"}, true), db.ErrKeyLost)
		require.Equal(t, db.KeyState{Fingerprint: []byte("fp")}, take(t, s, key, "fp"), "the successor runs")

		answer := db.Answer{Kind: db.JobAnswer, ID: "j"}
		require.NoError(t, record(t, s, successor, "fp", answer, true))
		require.Equal(t, &answer, take(t, s, key, "fp").Answer)
	})
}

// One process serves a SQLite file: when it begins to serve, the one before it is dead,
// and its keys are free. Many processes serve a PostgreSQL database: the others live.
func TestKeysOfTheProcessBefore(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s := dbtest.Open(t, o)
		key := func(name string) db.IdempotencyKey {
			return db.IdempotencyKey{Account: "acme", Method: "POST", Route: "/v1/transcript", Key: name}
		}
		accepted, final := db.Answer{Kind: db.JobAnswer, ID: "j"}, db.Answer{Kind: db.TranscriptAnswer, ID: "t"}
		held(t, s, key("reads"), "fp")
		require.NoError(t, record(t, s, held(t, s, key("waits"), "fp"), "fp", accepted, false))
		require.NoError(t, record(t, s, held(t, s, key("ended"), "fp"), "fp", final, true))

		release, err := s.Serve(t.Context())
		require.NoError(t, err)
		defer func() { require.NoError(t, release()) }()
		require.Equal(t, &final, take(t, s, key("ended"), "fp").Answer)
		if s.Shared() {
			require.Equal(t, db.KeyState{Fingerprint: []byte("fp")}, take(t, s, key("reads"), "fp"))
			require.Equal(t, db.KeyState{Fingerprint: []byte("fp")}, take(t, s, key("waits"), "fp"))
			return
		}
		require.Equal(t, &accepted, take(t, s, key("waits"), "fp").Answer)
		held(t, s, key("reads"), "fp")
	})
}

// TestKeysGoByTheDatabasesClock: the clock of a process may be wrong, and the clock of
// the database may be set back.
func TestKeysGoByTheDatabasesClock(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	raw := open(t, o)
	set := func(by string) {
		raw.exec(t, fmt.Sprintf(`CREATE OR REPLACE FUNCTION public.clock_timestamp() RETURNS timestamptz VOLATILE LANGUAGE sql
			AS $$ SELECT pg_catalog.clock_timestamp() + interval '%s' $$`, by))
	}
	set("2 hours")
	s := dbtest.Open(t, ownClock(t, o))
	key := db.IdempotencyKey{Account: "acme", Method: "POST", Route: "/v1/transcript", Key: "k"}
	first := held(t, s, key, "fp")
	require.Equal(t, db.KeyState{Fingerprint: []byte("fp")}, take(t, s, key, "fp"), "it still runs")
	require.NoError(t, s.Idempotency.Beat(t.Context(), first))
	var ahead float64
	require.NoError(t, raw.QueryRowContext(t.Context(), `SELECT extract(epoch FROM beat_at - pg_catalog.now()) FROM idempotency_keys`).Scan(&ahead))
	require.InDelta(t, 2*60*60, ahead, 60)
	require.NoError(t, dbtest.Sweep(t.Context(), s, 0, time.Hour))
	require.Equal(t, db.KeyState{Fingerprint: []byte("fp")}, take(t, s, key, "fp"), "too young to be swept")

	set("0")
	second := held(t, s, key, "fp") // the process may have died before the clock was set back
	require.ErrorIs(t, s.Idempotency.Beat(t.Context(), first), db.ErrKeyLost)
	require.NoError(t, s.Idempotency.Beat(t.Context(), second))
}

func TestRecordedAnswerGoesWithItsTransaction(t *testing.T) {
	t.Parallel()
	dbtest.Both(t, func(t *testing.T, s *db.Store) {
		key := db.IdempotencyKey{Account: "acme", Method: "POST", Route: "/", Key: "k"}
		h := held(t, s, key, "")
		require.ErrorIs(t, s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
			require.NoError(t, tx.Idempotency.Record(ctx, &h, db.Answer{Kind: db.JobAnswer, ID: "j"}, true))
			return errUndo
		}), errUndo)
		require.Equal(t, db.KeyState{}, take(t, s, key, ""))
		require.NoError(t, s.Idempotency.Release(t.Context(), h))
		held(t, s, key, "")
	})
}

func TestOneTakesAKey(t *testing.T) {
	t.Parallel()
	dbtest.Both(t, func(t *testing.T, s *db.Store) {
		key := db.IdempotencyKey{Account: "acme", Method: "POST", Route: "/", Key: "k"}
		var taken atomic.Int64
		var g errgroup.Group
		for range 50 {
			g.Go(func() error {
				r, err := s.Idempotency.Take(t.Context(), key, []byte("x"))
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

// TestAnsweredKeys takes keys together with their final answers: such a key follows the same
// rules as a key that is taken first and answered later.
func TestAnsweredKeys(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, raw := dbtest.Open(t, o), open(t, o)
		key := func(name string) db.IdempotencyKey {
			return db.IdempotencyKey{Account: "acme", Method: "POST", Route: "/v1/transcript", Key: name}
		}
		answer := func(name, id string) db.KeyState {
			t.Helper()
			state, err := s.Idempotency.TakeAnswered(t.Context(), key(name), []byte("fp of "+id), db.Answer{Kind: db.TranscriptAnswer, ID: id})
			require.NoError(t, err)
			return state
		}
		answered := func(id string) db.KeyState {
			return db.KeyState{Fingerprint: []byte("fp of " + id), Answer: &db.Answer{Kind: db.TranscriptAnswer, ID: id}}
		}
		require.NotNil(t, answer("free", "one").Held)
		require.Equal(t, answered("one"), answer("free", "two"), "one key has one answer")
		require.Equal(t, answered("one"), take(t, s, key("free"), "fp"))
		raw.setKey(t, "free", "beat_at", time.Hour)
		require.Equal(t, answered("one"), take(t, s, key("free"), "fp"), "no lease can end")
		raw.setKey(t, "free", "taken_at", 24*time.Hour+time.Millisecond)
		require.NotNil(t, answer("free", "two").Held)
		require.Equal(t, answered("two"), take(t, s, key("free"), "fp"))

		runs := held(t, s, key("running"), "fp")
		state := answer("running", "one")
		require.Nil(t, state.Held)
		require.Nil(t, state.Answer)
		require.Positive(t, state.Left)
		raw.setKey(t, "running", "beat_at", db.KeyLease+time.Millisecond)
		require.NotNil(t, answer("running", "two").Held)
		require.ErrorIs(t, s.Idempotency.Beat(t.Context(), runs), db.ErrKeyLost)
		require.NoError(t, s.Idempotency.Release(t.Context(), runs))
		require.Equal(t, answered("two"), take(t, s, key("running"), "fp"))

		waits, accepted := held(t, s, key("waiting"), "fp"), db.Answer{Kind: db.JobAnswer, ID: "j"}
		require.NoError(t, record(t, s, waits, "fp", accepted, false))
		require.Nil(t, answer("waiting", "one").Answer)
		raw.setKey(t, "waiting", "beat_at", db.KeyLease+time.Millisecond)
		require.Equal(t, &accepted, answer("waiting", "one").Answer, "the request that was taken for dead had a job")
	})
}

// TestOneAnswersAKey lets many requests answer the same key at the same time.
func TestOneAnswersAKey(t *testing.T) {
	t.Parallel()
	dbtest.Both(t, func(t *testing.T, s *db.Store) {
		key := db.IdempotencyKey{Account: "acme", Method: "POST", Route: "/", Key: "k"}
		states := make([]db.KeyState, 50)
		var g errgroup.Group
		for i := range states {
			g.Go(func() (err error) {
				states[i], err = s.Idempotency.TakeAnswered(t.Context(), key, []byte{byte(i)}, db.Answer{Kind: db.TranscriptAnswer, ID: fmt.Sprint(i)})
				return err
			})
		}
		require.NoError(t, g.Wait())
		won := slices.IndexFunc(states, func(state db.KeyState) bool { return state.Held != nil })
		require.GreaterOrEqual(t, won, 0)
		for i, state := range states {
			if i != won {
				require.Equal(t, db.KeyState{Fingerprint: []byte{byte(won)}, Answer: &db.Answer{Kind: db.TranscriptAnswer, ID: fmt.Sprint(won)}}, state)
			}
		}
	})
}

// TestTwoProcessesAnswerKeys lets two processes answer the same keys at the same time, each many
// keys by one statement: each key has one answer, and the processes do not lock each other out.
func TestTwoProcessesAnswerKeys(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	processes := []*db.Store{dbtest.Open(t, o), dbtest.Open(t, o)}
	const keys, rounds = 24, 8
	for round := range rounds {
		var states [keys][2]db.KeyState
		var g errgroup.Group
		for n := range keys {
			key := db.IdempotencyKey{Account: "acme", Method: "POST", Route: "/", Key: fmt.Sprint(round, "-", n)}
			for i, s := range processes {
				g.Go(func() (err error) {
					states[n][i], err = s.Idempotency.TakeAnswered(t.Context(), key, []byte{byte(i)}, db.Answer{Kind: db.TranscriptAnswer, ID: fmt.Sprint(i)})
					return err
				})
			}
		}
		require.NoError(t, g.Wait())
		for _, state := range states {
			first, second := state[0], state[1]
			if first.Held == nil {
				first, second = second, first
			}
			require.NotNil(t, first.Held)
			require.Nil(t, second.Held)
			require.Equal(t, first.Fingerprint, second.Fingerprint)
			require.Equal(t, fmt.Sprint(first.Fingerprint[0]), second.Answer.ID)
		}
	}
}
