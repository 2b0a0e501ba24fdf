package jobs_test

import (
	"context"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/server/internal/api/jobs"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// silence are the events of a job of which there is nothing to tell.
func silence(ctx context.Context) iter.Seq2[view.Event, error] {
	return func(yield func(view.Event, error) bool) {
		<-ctx.Done()
		yield(view.Event{}, ctx.Err())
	}
}

// unread is a connection whose peer does not read: the edge gives it up after the first write.
type unread struct {
	*httptest.ResponseRecorder
	writes int
}

func (u *unread) Write(b []byte) (int, error) {
	if u.writes++; u.writes == 1 {
		return len(b), nil
	}
	<-time.After(10 * time.Second)
	return 0, os.ErrDeadlineExceeded
}

// Whatever ends a stream, its watch has ended before: it asks the database, which is
// closed after the server.
func TestWatchEndsWithItsStream(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		w      http.ResponseWriter
		events int
	}{
		"may not stay":  {httptest.NewRecorder(), 0},
		"does not read": {&unread{ResponseRecorder: httptest.NewRecorder()}, 1000},
	} {
		synctest.Test(t, func(t *testing.T) {
			ended := false // seen without a lock: the race detector tells where nobody waits
			jobs.Stream(c.w, func(ctx context.Context) iter.Seq2[view.Event, error] {
				return func(yield func(view.Event, error) bool) {
					defer func() { ended = true }()
					for range c.events {
						if !yield(view.Event{Event: transcript.Event{Type: transcript.EventProgress}}, nil) {
							return
						}
					}
					silence(ctx)(yield)
				}
			}, func() bool { return false })
			assert.True(t, ended, name)
		})
	}
}

// A stream of which there is nothing to tell says every 15 s that it lives, and
// asks its client to come back after half an hour.
func TestStreamGrowsOld(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := httptest.NewRecorder()
		began := time.Now()
		jobs.Stream(w, silence, always)
		assert.Equal(t, 30*time.Minute, time.Since(began))
		body := w.Body.String()
		assert.True(t, strings.HasPrefix(body, "retry: 3000\n:"), body)
		assert.InDelta(t, 120, strings.Count(body, ": ping\n\n"), 1)
		assert.True(t, strings.HasSuffix(body, "event: stream.closing\ndata: {\"reason\":\"max_age\",\"retryMs\":1000}\n\n"), body)
	})
}

// The key of an open stream is looked at again: when it is no longer good the
// stream ends within 15 s, and its client is not asked to come back.
func TestStreamEndsWithItsKey(t *testing.T) {
	t.Parallel()
	for _, revoked := range []time.Duration{0, time.Second, 9 * time.Second, 10 * time.Second, 42 * time.Second, 29 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			w := httptest.NewRecorder()
			began := time.Now()
			jobs.Stream(w, silence, func() bool { return time.Since(began) <= revoked })
			assert.Less(t, time.Since(began)-revoked, 15*time.Second)
			assert.True(t, strings.HasSuffix(w.Body.String(), "event: stream.closing\ndata: {\"reason\":\"unauthorized\"}\n\n"), w.Body)
		})
	}
}

// always lets a client stay.
func always() bool { return true }
