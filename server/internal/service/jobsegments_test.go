package service_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// chunkOf is the number of the chunk that an engine is given.
func chunkOf(t *testing.T, a engine.Audio) (n int) {
	t.Helper()
	_, err := fmt.Sscanf(a.Path[strings.LastIndex(a.Path, "-")+1:], "%d.wav", &n)
	require.NoError(t, err)
	return n
}

// locks hold the recognition of each chunk until its lock is open.
type locks []chan struct{}

func newLocks(n int) locks {
	g := make(locks, n)
	for i := range g {
		g[i] = make(chan struct{})
	}
	return g
}

func (g locks) open(numbers ...int) {
	for _, n := range numbers {
		close(g[n])
	}
}

func (g locks) engine(t *testing.T) *script {
	return &script{recognize: func(ctx context.Context, _ int, a engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
		n := chunkOf(t, a)
		select {
		case <-g[n]:
			return heard(fmt.Sprintf("part %d", n)), nil
		case <-ctx.Done():
			return engine.Recognition{}, ctx.Err()
		}
	}}
}

// watched is a watch that a test reads event by event.
type watched struct {
	t    *testing.T
	next func() (view.Event, error, bool)
	text []transcript.Segment
}

func watch(t *testing.T, p *service.Service, job string, after int) *watched {
	t.Helper()
	events, err := p.Jobs.Watch(t.Context(), acme, job, after)
	require.NoError(t, err)
	next, stop := iter.Pull2(events)
	t.Cleanup(stop)
	return &watched{t: t, next: next}
}

// until reads events up to one of a type, and checks the segments on the way.
func (w *watched) until(kind transcript.EventType) view.Event {
	w.t.Helper()
	for {
		event, err, more := w.next()
		require.NoError(w.t, err)
		require.True(w.t, more, "the watch ended before %s", kind)
		if event.Type == transcript.EventSegments {
			assert.Zero(w.t, event.ID)
			assert.Equal(w.t, event.Job.JobID, event.Segments.JobID)
			assert.Equal(w.t, len(w.text), event.Segments.From, "the segments have a gap, or come twice")
			assert.NotEmpty(w.t, event.Segments.Segments)
			w.text = append(w.text, event.Segments.Segments...)
		}
		if event.Type == kind {
			return event
		}
	}
}

func (w *watched) texts() (out []string) {
	for _, s := range w.text {
		out = append(out, s.Text)
	}
	return out
}

// TestFirstWordsAfterOneChunk: the words of a recording of ten minutes come chunk by chunk,
// the first ones while all other chunks are still to be recognized.
func TestFirstWordsAfterOneChunk(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s := dbtest.Open(t, o)
		g := newLocks(60)
		b := start(t, s, g.engine(t), func(c *service.Config) { c.ASRWorkers = 1 })
		id := b.job(t, recording(t, 600, 1)).JobID
		first := watch(t, b.Service, id, 0)
		g.open(0)
		require.Equal(t, transcript.EventSnapshot, first.until(transcript.EventSnapshot).Type)
		first.until(transcript.EventSegments)
		assert.Equal(t, []string{"part 0"}, first.texts())
		assert.Less(t, first.text[0].Start, 1.0)
		assert.Nil(t, first.text[0].Words)

		g.open(1, 2)
		for len(first.text) < 3 {
			first.until(transcript.EventSegments)
		}
		other := b.Service
		if s.Shared() { // another process shows the words too
			other = prepare(t, dbtest.Open(t, o), &script{}).Service
		}
		for _, after := range []int{0, 1} {
			again := watch(t, other, id, after)
			again.until(transcript.EventSegments)
			assert.Equal(t, []string{"part 0", "part 1", "part 2"}, again.texts(), "after %d", after)
		}

		for n := 3; n < len(g); n++ {
			g.open(n)
		}
		end := first.until(transcript.EventCompleted)
		var final []transcript.Segment
		require.NoError(t, json.Unmarshal(plain(t, end.SegmentsJSON), &final))
		require.Greater(t, len(first.text), 3)
		assert.Equal(t, final[:len(first.text)], first.text)
	})
}

// TestSegmentsWaitForTheChunkBefore: a chunk that is finished out of its turn is not told
// before the chunks that it follows.
func TestSegmentsWaitForTheChunkBefore(t *testing.T) {
	t.Parallel()
	g := newLocks(10)
	b := start(t, dbtest.Open(t, dbtest.SQLite(t)), g.engine(t))
	id := b.job(t, recording(t, 70, 1)).JobID
	w := watch(t, b.Service, id, 0)
	g.open(1)
	for {
		e := w.until(transcript.EventProgress)
		if e.Job.Progress != nil && e.Job.Progress.Fraction > 0.2 {
			break // chunk 1 is finished
		}
	}
	assert.Empty(t, w.text)
	g.open(0)
	w.until(transcript.EventSegments)
	assert.Equal(t, []string{"part 0", "part 1"}, w.texts())
	g.open(2, 3, 4, 5, 6, 7, 8, 9)
	w.until(transcript.EventCompleted)
}

// TestSegmentsOfOneEventAreBounded: more text than fits into an event comes in several.
func TestSegmentsOfOneEventAreBounded(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	e := &script{recognize: func(ctx context.Context, _ int, a engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
		if chunkOf(t, a) > 0 {
			select {
			case <-hold:
			case <-ctx.Done():
			}
			return engine.Recognition{}, ctx.Err()
		}
		var out engine.Recognition
		for n := range 2000 {
			text := fmt.Sprintf("%04d%s", n, strings.Repeat("\"", 150)) // each mark is two bytes of JSON
			out.Segments = append(out.Segments, transcript.Segment{Text: text, Start: float64(n) / 100, Duration: 0.01})
		}
		return out, nil
	}}
	b := start(t, dbtest.Open(t, dbtest.SQLite(t)), e)
	w := watch(t, b.Service, b.job(t, recording(t, 70, 1)).JobID, 0)
	for len(w.text) < 2000 {
		event := w.until(transcript.EventSegments)
		data, err := wire.AppendEvent(nil, &event.Event, nil)
		require.NoError(t, err)
		assert.LessOrEqual(t, len(data), 256<<10)
		if len(w.text) < 2000 {
			assert.Greater(t, len(data), 250<<10)
		}
	}
	close(hold)
	w.until(transcript.EventCompleted)
}
