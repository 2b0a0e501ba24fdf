package service_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// fromTheFront is a script that also reads a recording while it arrives.
type fromTheFront struct {
	*script
	decoded  atomic.Int32 // whole files
	arrived  atomic.Int32 // files that have arrived while they were decoded
	announce error        // what a whole file says of the sound that was found
}

func (f *fromTheFront) Normalize(ctx context.Context, in, out string, o engine.NormalizeOptions) (engine.Sound, error) {
	f.decoded.Add(1)
	return f.script.Normalize(ctx, in, out, o)
}

func (f *fromTheFront) NormalizeArriving(_ context.Context, in io.Reader, out string, longest time.Duration) (engine.Audio, error) {
	file, err := os.Create(out)
	if err != nil {
		return engine.Audio{}, err
	}
	defer file.Close()
	head := make([]byte, 44)
	if _, err := io.ReadFull(in, head); err != nil {
		return engine.Audio{}, err
	}
	copy(head[40:], "\xff\xff\xff\xff") // the length is not known yet
	if _, err := file.Write(head); err != nil {
		return engine.Audio{}, err
	}
	n, err := io.Copy(file, io.LimitReader(in, int64(longest.Seconds()*32000)))
	f.arrived.Add(1)
	return engine.Audio{Path: out, Duration: time.Duration(n/2) * time.Second / 16000}, err
}

func (f *fromTheFront) Verify(context.Context, string, time.Duration, time.Duration) error {
	return f.announce
}

func startArrivals(t *testing.T, s *db.Store, change ...func(*service.Config)) (*bench, *fromTheFront) {
	t.Helper()
	e := &fromTheFront{script: new(script)}
	return start(t, s, e.script, append(change, func(c *service.Config) {
		c.Engine.Media, c.Engine.Recognizer = e, e
		c.HearAfter(time.Nanosecond)
	})...), e
}

// slowly is a file that waits for a gate after some of its bytes.
func slowly(file []byte, after int, gate func()) io.Reader {
	return io.MultiReader(bytes.NewReader(file[:after]), readerFunc(func([]byte) (int, error) { gate(); return 0, io.EOF }), bytes.NewReader(file[after:]))
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func submission(account string) intake.Submission {
	return intake.Submission{Account: account, Plan: plan()}
}

// arrive hands in a file that arrives for an account, as ReceiveFor and Commit are told of it.
func (b *bench) arrive(t *testing.T, expected intake.Submission, file io.Reader, change ...func(*intake.Submission)) (*intake.Outcome, error) {
	t.Helper()
	u, err := b.ReceiveFor(t.Context(), expected, file, 1<<30)
	if err != nil {
		return nil, err
	}
	for _, f := range change {
		f(&expected)
	}
	return u.Commit(t.Context(), expected)
}

// TestUploadIsRecognizedWhileItArrives: a recording is recognized before its last byte comes,
// each chunk once, and the file is not decoded again.
func TestUploadIsRecognizedWhileItArrives(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		b, e := startArrivals(t, s)
		file := recording(t, 120, 1)
		out, err := b.arrive(t, submission(acme), slowly(file, len(file)*9/10, func() {
			assert.Eventually(t, func() bool { return e.calls() >= 2 }, time.Minute, time.Millisecond)
			assert.Eventually(t, func() bool { return b.holds(t, "audio/", 0) }, time.Minute, time.Millisecond, "the audio of recognized chunks is kept")
		}))
		require.NoError(t, err)
		job := b.end(t, out.Job.JobID)
		require.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
		var segments []transcript.Segment
		require.NoError(t, json.Unmarshal(plain(t, job.SegmentsJSON), &segments))
		assert.Len(t, segments, e.calls(), "a chunk was recognized twice")
		for i := 1; i < len(segments); i++ {
			assert.Greater(t, segments[i].Start, segments[i-1].Start)
		}
		assert.Zero(t, e.decoded.Load())
		assert.InDelta(t, 120, *job.Result.Transcript.DurationSec, 0.01)
		b.nothingLeft(t)

		calls := e.calls()
		again, err := b.arrive(t, submission(acme), bytes.NewReader(file))
		require.NoError(t, err)
		require.NotNil(t, again.Result, "the same file is in the cache")
		b.nothingLeft(t)
		assert.Less(t, e.calls(), 2*calls, "the whole file was recognized again")
	})
}

// TestQuickUploadIsRecognizedOnce: an upload that arrives quickly is recognized by its steps
// alone, each chunk once.
func TestQuickUploadIsRecognizedOnce(t *testing.T) {
	t.Parallel()
	e := &fromTheFront{script: new(script)}
	b := start(t, dbtest.Open(t, dbtest.SQLite(t)), e.script, func(c *service.Config) {
		c.Engine.Media, c.Engine.Recognizer = e, e
		c.HearAfter(time.Hour)
	})
	file := recording(t, 120, 1)
	late := time.NewTimer(1500 * time.Millisecond) // some looks at the decoded sound
	out, err := b.arrive(t, submission(acme), slowly(file, len(file)*9/10, func() {
		<-late.C
		assert.Zero(t, e.calls())
	}))
	require.NoError(t, err)
	require.Equal(t, transcript.JobSuccess, b.end(t, out.Job.JobID).Status)
	assert.Zero(t, e.decoded.Load(), "the file was decoded again")
}

// TestArrivingUploadsAreThrownAway: an upload that breaks off, or that is not taken,
// leaves no file behind and costs the account nothing.
func TestArrivingUploadsAreThrownAway(t *testing.T) {
	t.Parallel()
	errGone := errors.New("the client is gone")
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		b, e := startArrivals(t, s)
		file := recording(t, 100, 1)
		_, err := b.arrive(t, submission(acme), io.MultiReader(slowly(file[:len(file)*9/10], len(file)*8/10, func() {
			assert.Eventually(t, func() bool { return e.calls() > 0 }, time.Minute, time.Millisecond)
		}), readerFunc(func([]byte) (int, error) { return 0, errGone })))
		require.ErrorIs(t, err, errGone)
		assert.Empty(t, b.blobs(t))
		u, err := s.Allowances.Usage(t.Context(), acme, limits.PeriodOf(plan(), time.Now()).Start)
		require.NoError(t, err)
		assert.Equal(t, db.Usage{}, u)
		left, err := os.ReadDir(b.dir)
		require.NoError(t, err)
		assert.Empty(t, left)

		u2, err := b.ReceiveFor(t.Context(), submission(acme), bytes.NewReader(file), 1<<30)
		require.NoError(t, err)
		u2.Abort(t.Context())
		assert.Empty(t, b.blobs(t))
	})
}

// TestArrivingUploadsThatAreNotUsed: the work on a file that arrived counts only where the
// submission is what was expected, and where the whole file announces no more sound. Otherwise
// the file is decoded as a whole.
func TestArrivingUploadsThatAreNotUsed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*intake.Submission)
		verify error
	}{
		"another language": {change: func(s *intake.Submission) {
			s.Languages, _ = transcript.ParseLanguageList("asr-en")
		}},
		"more is announced": {verify: transcript.Errorf(transcript.UploadInvalid, "The file is cut off.")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, e := startArrivals(t, dbtest.Open(t, dbtest.SQLite(t)))
			e.announce = c.verify
			change := c.change
			if change == nil {
				change = func(*intake.Submission) {}
			}
			out, err := b.arrive(t, submission(acme), bytes.NewReader(recording(t, 65, 1)), change)
			require.NoError(t, err)
			require.Equal(t, transcript.JobSuccess, b.end(t, out.Job.JobID).Status)
			assert.EqualValues(t, 1, e.arrived.Load())
			assert.EqualValues(t, 1, e.decoded.Load())
			b.nothingLeft(t)
		})
	}
}

// TestArrivingUploadsKeepToThePlan: the answers are those to a file that is worked on later.
func TestArrivingUploadsKeepToThePlan(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*intake.Submission)
		code   transcript.Code
		calls  int // recognitions at most
	}{
		"too long":        {func(s *intake.Submission) { s.Plan.MaxDuration = 40 * time.Second }, transcript.VideoTooLong, 1},
		"too few minutes": {func(s *intake.Submission) { s.Plan.ASRMinutesPerPeriod = 1 }, transcript.ASRQuotaExceeded, 1},
		"no minutes":      {func(s *intake.Submission) { s.Plan.ASRMinutesPerPeriod = 0 }, transcript.ASRQuotaExceeded, 0},
		"no recognition":  {func(s *intake.Submission) { s.Plan.ASR = false }, transcript.UpgradeRequired, 0},
		"not admitted": {func(s *intake.Submission) {
			s.Admit = func(context.Context) error { return transcript.Errorf(transcript.InsufficientCredits, "No.") }
		}, transcript.InsufficientCredits, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, e := startArrivals(t, dbtest.Open(t, dbtest.SQLite(t)))
			s := submission(acme)
			c.change(&s)
			out, err := b.arrive(t, s, bytes.NewReader(recording(t, 100, 1)))
			if err == nil {
				job := b.end(t, out.Job.JobID)
				require.NotNil(t, job.Error)
				err = job.Error
			}
			require.ErrorIs(t, err, c.code)
			assert.LessOrEqual(t, e.calls(), c.calls)
			assert.EqualValues(t, min(c.calls, 1), e.arrived.Load(), "work began on a file that the account may not have recognized")
			b.nothingLeft(t)
		})
	}
}

// TestArrivingUploadsLeaveRecognizersToSteps: while the steps use all recognizers, an upload
// that arrives is only cut.
func TestArrivingUploadsLeaveRecognizersToSteps(t *testing.T) {
	t.Parallel()
	b, e := startArrivals(t, dbtest.Open(t, dbtest.SQLite(t)), func(c *service.Config) { c.ASRWorkers = 1 })
	release := make(chan struct{})
	e.recognize = func(ctx context.Context, _ int, _ engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
		select {
		case <-release:
			return heard("hello"), nil
		case <-ctx.Done():
			return engine.Recognition{}, ctx.Err()
		}
	}
	first := b.job(t, recording(t, 5, 1))
	require.Eventually(t, func() bool { return e.calls() == 1 }, time.Minute, time.Millisecond)
	file := recording(t, 100, 2)
	out, err := b.arrive(t, submission("other"), slowly(file, len(file)*9/10, func() {
		assert.Eventually(t, func() bool { return b.holds(t, "audio/", 3) }, time.Minute, time.Millisecond, "the first file has a chunk, and two are cut of the other")
	}))
	require.NoError(t, err)
	assert.Equal(t, 1, e.calls())
	close(release)
	b.end(t, first.JobID)
	job, err := b.Jobs.Wait(t.Context(), "other", out.Job.JobID, nil)
	require.NoError(t, err)
	assert.Equal(t, transcript.JobSuccess, job.Status)
	assert.Zero(t, e.decoded.Load()-1, "only the first file was decoded as a whole")
	b.nothingLeft(t)
}
