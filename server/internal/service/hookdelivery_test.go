package service_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/hooks"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// told collects what hooks are told.
type told struct {
	jobs    chan *view.Job
	batches chan *batch.Job
	mu      sync.Mutex
	account string            // whose the last one was
	job     func(n int) error // what the nth call about a job returns; nil: nil
	calls   int
}

func newTold() *told {
	return &told{jobs: make(chan *view.Job, 100), batches: make(chan *batch.Job, 100)}
}

// hooks has a pipeline tell of all ends.
func (t *told) hooks(c *service.Config) {
	c.Hooks.Timeout, c.Hooks.Pause = time.Minute, func(int) time.Duration { return 0 }
	c.Hooks.Hooks = hooks.Hooks{
		Job: func(_ context.Context, account string, j *view.Job) error {
			t.mu.Lock()
			t.account = account
			t.calls++
			n, hook := t.calls, t.job
			t.mu.Unlock()
			if hook != nil {
				if err := hook(n); err != nil {
					return err
				}
			}
			t.jobs <- j
			return nil
		},
		Batch: func(_ context.Context, account string, b *batch.Job) error {
			t.mu.Lock()
			t.account = account
			t.mu.Unlock()
			t.batches <- b
			return nil
		},
	}
}

func next[T any](t *testing.T, from chan T) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(time.Minute):
		require.Fail(t, "nobody was told")
	}
	return v
}

// Of every end of a job somebody is told, with what it has come to; and of that of a
// batch.
func TestToldOfEveryEnd(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		told, sites := newTold(), newPlatforms(t, manual("en"))
		b := startLinks(t, s, &script{}, sites, told.hooks)

		done := b.succeed(t, link("v1", "en"))
		job := next(t, told.jobs)
		assert.Equal(t, done.JobID, job.JobID)
		assert.Equal(t, transcript.JobSuccess, job.Status)
		assert.Equal(t, acme, told.account)
		assert.Equal(t, done.SegmentsJSON, job.SegmentsJSON)
		require.NotNil(t, job.Result)

		out, err := b.Submit(t.Context(), link("v1", "en"))
		require.NoError(t, err)
		require.NotNil(t, out.Result, "an answer of the cache is no job")

		batched, err := b.Batches.Create(t.Context(), batchOf(entry("v1"), entry("v2")))
		require.NoError(t, err)
		assert.Equal(t, transcript.JobSuccess, next(t, told.jobs).Status, "that of an item that the cache has not")
		ended := next(t, told.batches)
		assert.Equal(t, batched.ID, ended.ID)
		assert.Equal(t, batch.Completed, ended.Status)
		assert.Equal(t, 2, ended.Counts.Success)

		sites.set(func(p *platforms) {
			p.captions = func(context.Context, int) error { return transcript.Errorf(transcript.Unavailable, "It is gone.") }
		})
		failed := b.send(t, link("v3", "en"))
		job = next(t, told.jobs)
		assert.Equal(t, failed.JobID, job.JobID)
		assert.Equal(t, transcript.Unavailable, job.Error.Code)

		idle := prepareLinks(t, b.store, sites, func(c *service.Config) { c.Hooks.Hooks = hooks.Hooks{} }) // has no hook, and works on nothing
		sites.set(func(p *platforms) {
			p.captions = func(ctx context.Context, _ int) error { <-ctx.Done(); return ctx.Err() }
		})
		out, err = b.Submit(t.Context(), link("v4", "en"))
		require.NoError(t, err)
		_, err = idle.Cancel(t.Context(), acme, out.Job.JobID, nil)
		require.NoError(t, err)
		job = next(t, told.jobs)
		assert.Equal(t, out.Job.JobID, job.JobID)
		assert.Equal(t, transcript.JobCancelled, job.Status)
		assert.Empty(t, told.jobs)
		assert.Empty(t, told.batches)
	})
}

// A hook that fails, crashes or does not end is called again until it has taken the
// news.
func TestHookThatFails(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		told := newTold()
		var log bytes.Buffer
		var mu sync.Mutex
		b := startLinks(t, s, &script{}, newPlatforms(t, manual("en")), told.hooks, func(c *service.Config) {
			c.Hooks.Timeout, c.Hooks.Pause = 100*time.Millisecond, func(int) time.Duration { return 0 }
			c.Log = slog.New(slog.NewTextHandler(locked{&mu, &log}, nil))
			taken := c.Hooks.Job
			c.Hooks.Job = func(ctx context.Context, account string, j *view.Job) error {
				told.mu.Lock()
				told.calls++
				n := told.calls
				told.mu.Unlock()
				switch n {
				case 1:
					return errors.New("the mail server is away")
				case 2:
					panic("the mail server is on fire")
				case 3:
					<-ctx.Done()
					return ctx.Err()
				}
				return taken(ctx, account, j)
			}
		})
		done := b.succeed(t, link("v1", "en"))
		assert.Equal(t, done.JobID, next(t, told.jobs).JobID)
		mu.Lock()
		defer mu.Unlock()
		for _, says := range []string{"the mail server is away", "the mail server is on fire", "calls=3", done.JobID} {
			assert.Contains(t, log.String(), says)
		}
	})
}

// locked is a writer for several goroutines.
type locked struct {
	mu *sync.Mutex
	w  *bytes.Buffer
}

func (l locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}

// A process that is stopped in the middle of a call leaves it to the next one.
func TestHookIsCalledAgainAfterAStop(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		begun := make(chan struct{}, 1)
		first := prepareLinks(t, s, newPlatforms(t, manual("en")), func(c *service.Config) {
			c.Hooks.Job = func(ctx context.Context, _ string, _ *view.Job) error {
				begun <- struct{}{}
				<-ctx.Done()
				return ctx.Err()
			}
		})
		require.NoError(t, first.Start(t.Context()))
		done := first.succeed(t, link("v1", "en"))
		next(t, begun)
		require.NoError(t, first.Stop(t.Context()))

		told := newTold()
		startLinks(t, s, &script{}, newPlatforms(t), told.hooks)
		assert.Equal(t, done.JobID, next(t, told.jobs).JobID)
	})
}

// Whoever ends a job queues the call, also without the hook, and while nobody who has it
// is running; who has it makes it.
func TestHooksOfOtherProcesses(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	told := newTold()
	listener := prepareLinks(t, dbtest.Open(t, o), newPlatforms(t), told.hooks)
	require.NoError(t, listener.Start(t.Context()))
	require.NoError(t, listener.Stop(t.Context()))

	worker := startLinks(t, dbtest.Open(t, o), &script{}, newPlatforms(t, manual("en")))
	done := worker.succeed(t, link("v1", "en"))
	assert.Equal(t, 1, callsWaiting(t, worker.store))

	again := prepareLinks(t, dbtest.Open(t, o), newPlatforms(t), told.hooks)
	again.startOne(t)
	assert.Equal(t, done.JobID, next(t, told.jobs).JobID)
}

// Where nobody has ever wanted to be told, nothing waits to be.
func TestNobodyIsTold(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		b := startLinks(t, s, &script{}, newPlatforms(t, manual("en")))
		b.succeed(t, link("v1", "en"))
		assert.Zero(t, callsWaiting(t, s))
	})
}

// What nobody has fetched while jobs are kept is swept, and a job that is gone is not
// told of.
func TestCallsAreForgottenWithTheirJobs(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		require.NoError(t, s.SetHook(t.Context(), db.JobHook))
		b := startLinks(t, s, &script{}, newPlatforms(t, manual("en")))
		b.succeed(t, link("v1", "en"))
		require.Equal(t, 1, callsWaiting(t, s))
		require.NoError(t, dbtest.Sweep(t.Context(), s, time.Hour, time.Hour))
		assert.Equal(t, 1, callsWaiting(t, s))
		require.NoError(t, dbtest.Sweep(t.Context(), s, -time.Hour, time.Hour))
		assert.Zero(t, callsWaiting(t, s))
	})
}

// callsWaiting is how many calls about jobs are in the queue.
func callsWaiting(t *testing.T, s *db.Store) (n int) {
	t.Helper()
	now, err := s.Status(t.Context())
	require.NoError(t, err)
	for _, q := range now.Queue {
		if q.Queue == string(db.JobHook) {
			n += q.Steps
		}
	}
	return n
}

func TestPausesOfCalls(t *testing.T) {
	t.Parallel()
	var all []time.Duration
	for n := range 11 {
		all = append(all, hooks.Pause(n+1))
	}
	assert.Equal(t, []time.Duration{
		time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 32 * time.Second,
		64 * time.Second, 128 * time.Second, 256 * time.Second, 512 * time.Second, 15 * time.Minute,
	}, all)
	assert.Equal(t, 15*time.Minute, hooks.Pause(1000))
}
