package service_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/lifecycle"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// turnstiles is an engine whose steps of one kind each wait for a token.
type turnstiles struct {
	script

	at     string // the queue
	tokens chan struct{}
}

func (s *turnstiles) pass(ctx context.Context, queue string) error {
	if queue != s.at {
		return nil
	}
	select {
	case <-s.tokens:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *turnstiles) Origin(transcript.Platform) (transcript.Origin, bool) {
	return transcript.OriginDownloader, true
}

func (s *turnstiles) Captions(ctx context.Context, _ engine.Content, _ func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	return engine.Captions{}, s.pass(ctx, "captions") // none
}

func (s *turnstiles) Audio(ctx context.Context, _ engine.Content, dir string, _ engine.AudioOptions) (string, error) {
	if err := s.pass(ctx, "download"); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "audio.wav")
	return path, os.WriteFile(path, nil, 0o600) // which is no recording: the step ends
}

func (s *turnstiles) Normalize(ctx context.Context, in, out string, o engine.NormalizeOptions) (engine.Sound, error) {
	if err := s.pass(ctx, "media"); err != nil {
		return engine.Sound{}, err
	}
	return s.script.Normalize(ctx, in, out, o)
}

func (s *turnstiles) Recognize(ctx context.Context, _ engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
	return heard("hello"), s.pass(ctx, "asr")
}

// crowd is a bench with the jobs that were asked for.
type crowd struct {
	*bench
	jobs [][2]string // account and id
}

// in is how many of the jobs are in a state.
func (c *crowd) in(t *testing.T, state lifecycle.State) (n int) {
	t.Helper()
	for _, j := range c.jobs {
		job, err := c.Jobs.Job(t.Context(), j[0], j[1], nil)
		require.NoError(t, err)
		if job.Status == state.Status && job.Stage == state.Stage {
			n++
		}
	}
	return n
}

// await waits until n of the jobs are in a state.
func (c *crowd) await(t *testing.T, state lifecycle.State, n int) {
	t.Helper()
	require.Eventually(t, func() bool { return c.in(t, state) == n }, time.Minute, 20*time.Millisecond)
}

// upload asks for a recording.
func (c *crowd) upload(t *testing.T, by string, n int) {
	t.Helper()
	out, err := c.submit(t, by, recording(t, 1, n), "")
	require.NoError(t, err)
	c.jobs = append(c.jobs, [2]string{by, out.Job.JobID})
}

// link asks for a link.
func (c *crowd) link(t *testing.T, by string, on transcript.Platform, n int) {
	t.Helper()
	c.linkOn(t, by, plan(), on, n)
}

// linkOn asks for a link on a plan.
func (c *crowd) linkOn(t *testing.T, by string, plan account.Plan, on transcript.Platform, n int) {
	t.Helper()
	content := engine.Content{Platform: on, ExternalID: fmt.Sprint(n), URL: fmt.Sprint("https://site.example/", n)}
	out, err := c.Submit(db.Unhurried(t.Context()), intake.Submission{Account: by, Plan: plan, Content: content})
	require.NoError(t, err)
	c.jobs = append(c.jobs, [2]string{by, out.Job.JobID})
}

// begins waits until the job that was asked for last is no longer in a state.
func (c *crowd) begins(t *testing.T, state lifecycle.State) {
	t.Helper()
	last := crowd{c.bench, c.jobs[len(c.jobs)-1:]}
	assert.Eventually(t, func() bool { return last.in(t, state) == 0 }, time.Minute, 5*time.Millisecond, "it has not begun")
}

func startCrowd(t *testing.T, s *db.Store, queue string) (*crowd, *turnstiles) {
	t.Helper()
	e := &turnstiles{at: queue, tokens: make(chan struct{})}
	return &crowd{bench: start(t, s, &e.script, func(c *service.Config) {
		c.Engine = engine.Engine{Captions: []engine.CaptionSource{e}, Audio: e, Media: e, Recognizer: e}
	})}, e
}

const many = 40

var (
	inQueue    = lifecycle.State{Status: transcript.JobPending, Stage: transcript.StageQueued}
	inASRQueue = lifecycle.State{Status: transcript.JobPending, Stage: transcript.StageASRQueued}
)

// No account has a queue for itself: of one that has much in it, only what is
// under way goes before the first step of another.
func TestAccountsTakeTurns(t *testing.T) {
	t.Parallel()
	link := func(on transcript.Platform) func(*crowd, *testing.T, string, int) {
		return func(c *crowd, t *testing.T, by string, n int) { c.link(t, by, on, n) }
	}
	for queue, test := range map[string]struct {
		ask     func(*crowd, *testing.T, string, int)
		workers int
		before  lifecycle.State // of a job while it waits
	}{
		"captions": {link(transcript.VideoSite), 4, inQueue},
		"download": {link(transcript.PhotoSite), 2, inQueue},
		"media":    {(*crowd).upload, 2, inQueue},
		"asr":      {(*crowd).upload, 2, inASRQueue},
	} {
		t.Run(queue, func(t *testing.T) {
			t.Parallel()
			dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
				tables := storetest.SQL(t, store.Options(o))
				c, e := startCrowd(t, dbtest.Open(t, o), queue)
				for i := range many {
					test.ask(c, t, acme, i)
				}
				standInLine(t, tables, queue, many-test.workers)
				test.ask(c, t, "other", many)
				standInLine(t, tables, queue, many-test.workers+1)
				e.tokens <- struct{}{} // a step ends
				c.begins(t, test.before)
				assert.Equal(t, many-test.workers, c.in(t, test.before), "it was the next")
			})
		})
	}
}

// standInLine waits until n steps in a queue wait for a worker.
func standInLine(t *testing.T, tables *sql.DB, queue string, n int) {
	t.Helper()
	require.Eventually(t, func() bool {
		var waiting int
		row := tables.QueryRowContext(t.Context(), "SELECT count(*) FROM river_job WHERE state = 'available' AND queue = '"+queue+"'")
		require.NoError(t, row.Scan(&waiting))
		return waiting == n
	}, time.Minute, 20*time.Millisecond)
}

// begun is how many of the jobs have been taken by a worker, and whether one of an
// account is among them.
func (c *crowd) begun(t *testing.T, account string) (n int, of bool) {
	t.Helper()
	for _, j := range c.jobs {
		job, err := c.Jobs.Job(t.Context(), j[0], j[1], nil)
		require.NoError(t, err)
		if job.Status == inQueue.Status && job.Stage == inQueue.Stage {
			continue
		}
		n++
		of = of || j[0] == account
	}
	return n, of
}

// stepsUntil ends steps one after the other until one of an account has begun, and returns
// how many.
func (c *crowd) stepsUntil(t *testing.T, e *turnstiles, account string) (steps int) {
	t.Helper()
	for n, of := c.begun(t, account); !of; steps++ {
		e.tokens <- struct{}{}
		require.Eventually(t, func() bool {
			before := n
			n, of = c.begun(t, account)
			return n > before
		}, time.Minute, 5*time.Millisecond)
	}
	return steps
}

// Accounts that are new do not go before one that has had its turn, nor does it keep
// them back.
func TestNewAccountsBeginWhereTheQueueStands(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		tables := storetest.SQL(t, store.Options(o))
		c, e := startCrowd(t, dbtest.Open(t, o), "captions")
		for i := range 6 { // more than there are workers: somebody has a turn
			c.link(t, "user", transcript.VideoSite, i)
		}
		standInLine(t, tables, "captions", 2)
		for range 6 {
			e.tokens <- struct{}{}
		}
		require.Eventually(t, func() bool { // the queue is idle: all accounts are even
			var left int
			require.NoError(t, tables.QueryRowContext(t.Context(), "SELECT count(*) FROM river_job WHERE queue = 'captions' AND finalized_at IS NULL").Scan(&left))
			return left == 0
		}, time.Minute, 5*time.Millisecond)
		c.jobs = nil
		for i := range 20 {
			c.link(t, fmt.Sprint("new-", i), transcript.VideoSite, 100+i)
		}
		standInLine(t, tables, "captions", 16)
		c.link(t, "user", transcript.VideoSite, 200)
		standInLine(t, tables, "captions", 17)
		assert.LessOrEqual(t, c.stepsUntil(t, e, "user"), 2)

		for i := range 20 { // of those who have had a turn there is always something in line
			c.link(t, "user", transcript.VideoSite, 300+i)
			c.link(t, "new-0", transcript.VideoSite, 400+i)
		}
		c.link(t, "late", transcript.VideoSite, 500)
		assert.LessOrEqual(t, c.stepsUntil(t, e, "late"), 22, "all who were there before have a turn, then it")
	})
}

// Accounts of a plan that shares its turn have together what another account has alone.
func TestAccountsThatShareATurn(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		tables := storetest.SQL(t, store.Options(o))
		c, e := startCrowd(t, dbtest.Open(t, o), "captions")
		guests := plan()
		guests.SharedTurn = true
		for i := range 60 {
			c.linkOn(t, fmt.Sprint("guest-", i), guests, transcript.VideoSite, i)
		}
		standInLine(t, tables, "captions", 56)
		for i := range 3 {
			user := fmt.Sprint("user-", i)
			c.link(t, user, transcript.VideoSite, 100+i)
			standInLine(t, tables, "captions", 57)
			assert.Equal(t, 1, c.stepsUntil(t, e, user), "it is the next, though it came last")
		}
	})
}

// Work that several accounts wait for goes with the one whose turn comes first.
func TestJoiningBringsForward(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		c, e := startCrowd(t, s, "captions")
		for i := range many {
			c.link(t, acme, transcript.VideoSite, i)
		}
		c.await(t, inQueue, many-4)
		c.link(t, "other", transcript.VideoSite, many-1)
		e.tokens <- struct{}{}
		c.begins(t, inQueue)
	})
}
