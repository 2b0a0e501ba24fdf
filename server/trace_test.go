package server_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// told is a tracer that notes what it is told.
type told struct {
	mu    sync.Mutex
	trace func() string
	begun []engine.Step
	ended []error
}

func (t *told) say(trace func() string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.trace = trace
}

func (t *told) Trace(context.Context) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.trace()
}

func (t *told) Step(ctx context.Context, s engine.Step) (context.Context, func(error)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begun = append(t.begun, s)
	return ctx, func(err error) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.ended = append(t.ended, err)
	}
}

// last is the last step of a kind, once one has begun.
func (t *told) last(tb testing.TB, kind string) (last engine.Step) {
	tb.Helper()
	require.Eventually(tb, func() bool {
		t.mu.Lock()
		defer t.mu.Unlock()
		for _, s := range t.begun {
			if s.Kind == kind {
				last = s
			}
		}
		return last.Kind != ""
	}, time.Minute, 5*time.Millisecond)
	return last
}

func tracedBy(tracer engine.Tracer) func(*server.Config) {
	return func(c *server.Config) { c.Tracer = tracer }
}

// What a tracer says of a request is kept as it is, if it is short and plain.
func TestWhatIsKeptOfATrace(t *testing.T) {
	t.Parallel()
	tracer := new(told)
	s := start(t, tracedBy(tracer))
	for i, test := range []struct {
		trace string
		kept  bool
	}{
		{"", false},
		{"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", true},
		{strings.Repeat("~", 256), true},
		{strings.Repeat("~", 257), false},
		{"two words", false},
		{"line\n", false},
		{"é", false},
		{"\x00", false},
	} {
		tracer.say(func() string { return test.trace })
		tracer.mu.Lock()
		tracer.begun = nil // all steps of the file before have begun
		tracer.mu.Unlock()
		s.job(t, fmt.Sprint("file ", i))
		var want []string
		if test.kept {
			want = []string{test.trace}
		}
		assert.Equal(t, want, tracer.last(t, "publish").Traces, "%.50q", test.trace)
	}
}

// A step is told of the requests that wait for it, some of them where there are many,
// and how it ended.
func TestStepsOfManyRequests(t *testing.T) {
	t.Parallel()
	tracer, n := new(told), 0
	tracer.say(func() string {
		n++
		return fmt.Sprint(n)
	})
	s := start(t, tracedBy(tracer))
	s.Engine.SetTracks()
	s.Engine.Fail(transcript.Errorf(transcript.NotImplemented, "Not this."))
	release := s.Engine.HoldCaptions()
	var want []string
	for i := range 40 {
		key := s.NewKey(t, fmt.Sprint("account", i))
		s.postJSON(t, `{"url": "https://video.example/watch?v=dQw4w9WgXcQ", "waitMs": 0}`, as(key))
		if len(want) < 32 {
			want = append(want, fmt.Sprint(i+1))
		}
	}
	release()
	assert.Equal(t, want, tracer.last(t, "prepare").Traces)
	failed := tracer.last(t, "recognize")
	assert.Equal(t, want, failed.Traces)
	assert.Equal(t, 1, failed.Attempt)
	assert.Equal(t, 0, failed.Chunk)
	require.Eventually(t, func() bool {
		tracer.mu.Lock()
		defer tracer.mu.Unlock()
		return len(tracer.ended) > 0 && len(tracer.ended) == len(tracer.begun)
	}, time.Minute, 5*time.Millisecond, "each ends once")
	assert.ErrorIs(t, tracer.ended[len(tracer.ended)-1], transcript.NotImplemented)
	for _, err := range tracer.ended[:len(tracer.ended)-1] {
		assert.NoError(t, err)
	}
}
