package service_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// server is a recognizer elsewhere, which can be away.
type server struct {
	*script
	checks atomic.Int32
	check  func(call int32) error
}

func (s *server) Check(context.Context) error { return s.check(s.checks.Add(1)) }

func (s *server) in(c *service.Config) {
	c.Engine.Recognizer = s
	c.PauseBriefly()
}

// A recognizer that cannot be reached gets no recording: what needs it waits, without
// an attempt, until it is there.
func TestRecognizerThatIsAwayIsWaitedFor(t *testing.T) {
	t.Parallel()
	e := &script{}
	away := &server{script: e, check: func(call int32) error {
		if call <= 2 {
			return transcript.Errorf(transcript.UpstreamFailed, "Nobody is there.")
		}
		return nil
	}}
	b := start(t, dbtest.Open(t, dbtest.SQLite(t)), e, away.in)
	job := b.job(t, recording(t, 5, 1))
	b.endsWhole(t, job.JobID, 1)
	assert.EqualValues(t, 3, away.checks.Load())
	assert.Equal(t, 1, e.calls())
	b.endsWhole(t, b.job(t, recording(t, 5, 2)).JobID, 1)
	assert.EqualValues(t, 3, away.checks.Load(), "one that has just answered is not asked whether it is there")
}

// It is not waited for forever, and the job says what is away.
func TestRecognizerThatStaysAway(t *testing.T) {
	t.Parallel()
	e := &script{}
	away := &server{script: e, check: func(int32) error { return transcript.Errorf(transcript.UpstreamFailed, "Nobody is there.") }}
	b := start(t, dbtest.Open(t, dbtest.SQLite(t)), e, away.in, func(c *service.Config) { c.WaitNoLonger() })
	job := b.end(t, b.job(t, recording(t, 5, 1)).JobID)
	require.NotNil(t, job.Error)
	assert.Equal(t, transcript.ServiceUnavailable, job.Error.Code)
	assert.Contains(t, job.Error.Message, "recognizer")
	assert.Equal(t, "script", job.Error.Details["engine"])
	assert.Zero(t, e.calls())
}

// While a recording is with the recognizer nobody asks whether it is there: it may be too
// busy to answer, and a second recording is given to it all the same.
func TestNobodyAsksABusyRecognizer(t *testing.T) {
	t.Parallel()
	with, done := make(chan struct{}), make(chan struct{})
	e := &script{recognize: func(ctx context.Context, _ int, _ engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
		with <- struct{}{}
		select {
		case <-done:
		case <-ctx.Done():
		}
		return heard("hello"), context.Cause(ctx)
	}}
	busy := &server{script: e, check: func(call int32) error {
		if call == 1 { // somebody else's recording is with it
			return transcript.Errorf(transcript.RateLimited, "It has not answered.")
		}
		return transcript.Errorf(transcript.UpstreamFailed, "It is away.")
	}}
	b := start(t, dbtest.Open(t, dbtest.SQLite(t)), e, busy.in, func(c *service.Config) { c.ASRWorkers = 2 })
	first := b.job(t, recording(t, 5, 1))
	<-with
	out, err := b.submit(t, "other", recording(t, 5, 2), "")
	require.NoError(t, err)
	select {
	case <-with:
	case <-time.After(time.Minute):
		t.Fatal("the second recording is not given to it")
	}
	require.NoError(t, b.Check(t.Context())["asr"])
	assert.EqualValues(t, 1, busy.checks.Load())
	close(done)
	b.endsWhole(t, first.JobID, 1)
	job, err := b.Jobs.Wait(t.Context(), "other", out.Job.JobID, nil)
	require.NoError(t, err)
	assert.Equal(t, transcript.JobSuccess, job.Status)
}

// A recognizer that is there, whatever else it says of itself, is tried: an endpoint
// may show nobody its models.
func TestRecognizerThatDoubtsItself(t *testing.T) {
	t.Parallel()
	for _, doubt := range []error{transcript.Errorf(transcript.ConfigError, "The key is not accepted."), errors.New("no idea")} {
		e := &script{}
		b := start(t, dbtest.Open(t, dbtest.SQLite(t)), e, (&server{script: e, check: func(int32) error { return doubt }}).in)
		b.endsWhole(t, b.job(t, recording(t, 5, 1)).JobID, 1)
	}
}

// One that ends in the middle of a recording costs an attempt, and is then waited for:
// a recording that ends it each time does not do so for hours.
func TestRecordingThatEndsItsRecognizer(t *testing.T) {
	t.Parallel()
	e := &script{recognize: func(context.Context, int, engine.Audio, engine.RecognizeOptions) (engine.Recognition, error) {
		return engine.Recognition{}, transcript.Errorf(transcript.UpstreamFailed, "It breaks off.")
	}}
	restarts := &server{script: e, check: func(call int32) error {
		if call == 2 {
			return transcript.Errorf(transcript.UpstreamFailed, "Nobody is there.")
		}
		return nil
	}}
	b := start(t, dbtest.Open(t, dbtest.SQLite(t)), e, restarts.in)
	job := b.end(t, b.job(t, recording(t, 5, 1)).JobID)
	require.NotNil(t, job.Error)
	assert.Equal(t, transcript.UpstreamFailed, job.Error.Code)
	assert.Equal(t, 4, e.calls())
}
