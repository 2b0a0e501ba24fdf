package service_test

import (
	"context"
	"encoding/json"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// buryAll takes all processes that work on the store for dead.
func buryAll(t *testing.T, s *db.Store) {
	t.Helper()
	all, err := s.Queue.Processes(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, all)
	for _, p := range all {
		for buried := false; !buried; {
			buried, err = s.Queue.Bury(t.Context(), p)
			require.NoError(t, err)
			if buried {
				break
			}
			p = again(t, s, p.ID) // it has just beaten
		}
	}
}

func again(t *testing.T, s *db.Store, id string) queue.Process {
	t.Helper()
	all, err := s.Queue.Processes(t.Context())
	require.NoError(t, err)
	for _, p := range all {
		if p.ID == id {
			return p
		}
	}
	require.Fail(t, "the process has gone")
	return queue.Process{}
}

// TestTakenForDead takes a process for dead that recognizes a chunk, lets another
// take the work over, and the first then end what it was at.
func TestTakenForDead(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	ghost := newGated("ghost")
	a := start(t, dbtest.Open(t, o), &script{recognize: ghost.recognize})
	job := a.job(t, recording(t, 5, 1))
	wait(t, ghost.begun)
	buryAll(t, a.store)

	heir := newGated("hello")
	b := start(t, dbtest.Open(t, o), &script{recognize: heir.recognize})
	wait(t, heir.begun)
	close(ghost.end)
	require.Eventually(t, func() bool { // the first's step has ended
		left, err := os.ReadDir(a.dir)
		return err == nil && len(left) == 0
	}, time.Minute, 10*time.Millisecond)
	now, err := b.Jobs.Job(t.Context(), acme, job.JobID, nil)
	require.NoError(t, err)
	assert.Equal(t, transcript.StageASRRunning, now.Stage, "the one taken for dead has ended the work of another")
	close(heir.end)
	assert.Equal(t, []string{"hello"}, textsOf(t, b.end(t, job.JobID)))

	// It comes back by itself.
	require.Eventually(t, func() bool {
		all, err := a.store.Queue.Processes(t.Context())
		return err == nil && len(all) == 2
	}, time.Minute, 50*time.Millisecond)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	require.NoError(t, b.Stop(ctx))
	next := a.job(t, recording(t, 5, 2))
	assert.Equal(t, []string{"ghost"}, textsOf(t, a.end(t, next.JobID)))
}

// TestLostTooOften: work that is lost with every process that is at it may be what
// kills them. It ends, and its audio goes.
func TestLostTooOften(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	// Whoever takes the work up, a new process or one that has come back, is stuck.
	begun, end := make(chan struct{}, 10), make(chan struct{})
	stuck := func(context.Context, int, engine.Audio, engine.RecognizeOptions) (engine.Recognition, error) {
		begun <- struct{}{}
		<-end
		return heard("never"), nil
	}
	first := start(t, dbtest.Open(t, o), &script{recognize: stuck})
	defer close(end) // before the processes stop
	job := first.job(t, recording(t, 5, 1))
	wait(t, begun)
	for attempt := 2; attempt <= 4; attempt++ {
		buryAll(t, first.store)
		start(t, dbtest.Open(t, o), &script{recognize: stuck})
		wait(t, begun)
		now, err := first.Jobs.Job(t.Context(), acme, job.JobID, nil)
		require.NoError(t, err)
		assert.Equal(t, attempt, now.Attempt)
	}
	buryAll(t, first.store)
	start(t, dbtest.Open(t, o), &script{recognize: stuck})
	ended := first.end(t, job.JobID)
	assert.Equal(t, transcript.JobFailed, ended.Status)
	assert.Equal(t, transcript.Internal, ended.Error.Code)
	assert.Contains(t, ended.Error.Message, "interrupted too often")
	first.nothingLeft(t)
}

// gated hears a text as soon as it may, whatever its context says.
type gated struct {
	text       string
	begun, end chan struct{}
	once       sync.Once
}

func newGated(text string) *gated {
	return &gated{text: text, begun: make(chan struct{}), end: make(chan struct{})}
}

func (g *gated) recognize(context.Context, int, engine.Audio, engine.RecognizeOptions) (engine.Recognition, error) {
	g.once.Do(func() { close(g.begun) })
	<-g.end
	return heard(g.text), nil
}

func wait(t *testing.T, ch <-chan struct{}) {
	t.Helper()
	select {
	case <-ch:
	case <-time.After(time.Minute):
		require.Fail(t, "it does not happen")
	}
}

func textsOf(t *testing.T, job *view.Job) (texts []string) {
	t.Helper()
	require.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
	var segments []transcript.Segment
	require.NoError(t, json.Unmarshal(plain(t, job.SegmentsJSON), &segments))
	for _, s := range segments {
		texts = append(texts, s.Text)
	}
	return texts
}
