package service_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/recognize"
	"github.com/transcriptkit/transcriptkit/server/internal/uploads"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// sender is a browser that records: it sends a file in many requests, and asks what is heard of it.
type sender struct {
	*bench
	t    *testing.T
	id   string
	file []byte
	sent int
}

// send sends the file up to a byte, in a request to b.
func (s *sender) send(b *bench, until int) *uploads.Upload {
	s.t.Helper()
	var u *uploads.Upload
	var err error
	if s.id == "" {
		u, err = b.Resumable.Begin(s.t.Context(), &db.Upload{Account: acme}, 1<<30)
	} else {
		u, err = b.Resumable.Take(s.t.Context(), acme, s.id)
	}
	require.NoError(s.t, err)
	s.id = u.Parts.ID
	require.NoError(s.t, u.Append(s.t.Context(), uploads.Incoming{Body: bytes.NewReader(s.file[s.sent:until]), Stop: func() {}, Limit: 1 << 30}))
	s.sent = until
	return u
}

// hear asks b until it has heard the file up to a time.
func (s *sender) hear(b *bench, until time.Duration) (heard recognize.Heard) {
	s.t.Helper()
	u, err := b.Resumable.Look(s.t.Context(), acme, s.id)
	require.NoError(s.t, err)
	watch, err := b.Resumable.Watch(s.t.Context(), u, submission(acme))
	require.NoError(s.t, err)
	defer watch.Close()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	return watch.Heard(ctx, until-1)
}

// bytesOf is the number of bytes of so many seconds of a recording.
func bytesOf(seconds int) int { return 44 + 32000*seconds }

// TestWatchedUploadIsHeardWhileItArrives: who watches an upload that arrives in many requests reads its
// words. Another process, as after a crash, hears the upload from the start. The work of the job goes on
// with what is recognized, and recognizes no chunk again.
func TestWatchedUploadIsHeardWhileItArrives(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		first, _ := startArrivals(t, s)
		sends := &sender{t: t, file: recording(t, 120, 7)}
		sends.send(first, bytesOf(5))
		heard := sends.hear(first, 4*time.Second)
		assert.Empty(t, heard.Lines, "no chunk is certain")
		assert.Equal(t, "hello", heard.Tail)

		sends.send(first, bytesOf(50))
		heard = sends.hear(first, 48*time.Second)
		assert.NotEmpty(t, heard.Lines)
		assert.Equal(t, "hello", heard.Tail)
		first.Resumable.Stop(t.Context())

		second, e := startArrivals(t, s)
		sends.send(second, bytesOf(110))
		again := sends.hear(second, 108*time.Second)
		require.Greater(t, len(again.Lines), len(heard.Lines))
		assert.Equal(t, heard.Lines, again.Lines[:len(heard.Lines)])

		u := sends.send(second, len(sends.file))
		calls := e.calls()
		require.NoError(t, u.Finish(t.Context()))
		require.NoError(t, u.Join(t.Context()))
		out, err := u.Commit(t.Context(), submission(acme))
		require.NoError(t, err)
		job := second.end(t, out.Job.JobID)
		require.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
		assert.Zero(t, e.decoded.Load(), "the file is decoded again")
		assert.LessOrEqual(t, e.calls()-calls, 2, "chunks that were recognized are recognized again")
		assert.InDelta(t, 120, *job.Result.Transcript.DurationSec, 0.01)
		second.nothingLeft(t)

		_, err = second.Resumable.Look(t.Context(), acme, sends.id)
		assert.ErrorIs(t, err, transcript.NotFound)
		_, err = second.Resumable.Look(t.Context(), "another", sends.id)
		assert.ErrorIs(t, err, transcript.NotFound)
	})
}

// TestWatchedUploadThatIsDeleted ends the work, and leaves nothing.
func TestWatchedUploadThatIsDeleted(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		b, _ := startArrivals(t, s)
		sends := &sender{t: t, file: recording(t, 60, 8)}
		sends.send(b, bytesOf(50))
		sends.hear(b, 48*time.Second)
		require.NoError(t, b.Resumable.Cancel(t.Context(), acme, sends.id))
		b.nothingLeft(t)
	})
}
