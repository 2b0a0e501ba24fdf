package service_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/lifecycle"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestUploadBecomesTranscript(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		e := &script{recognize: func(_ context.Context, _ int, a engine.Audio, o engine.RecognizeOptions) (engine.Recognition, error) {
			o.Progress(a.Duration)
			return heard("hello"), nil
		}}
		b := start(t, s, e)
		job := b.job(t, recording(t, 65, 1))
		assert.Equal(t, transcript.JobPending, job.Status)
		assert.Equal(t, 1, job.Sequence)

		job = b.end(t, job.JobID)
		require.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
		assert.Equal(t, transcript.StageDone, job.Stage)
		res := job.Result
		assert.False(t, res.Cached)
		assert.Equal(t, "en", res.Language)
		assert.Equal(t, 65, *res.LengthSeconds)
		assert.Equal(t, "1:05", *res.LengthText)
		assert.False(t, res.NothingHeard)
		assert.Equal(t, "talk", *res.Transcript.Title)
		assert.Equal(t, "script", res.Metadata["engine"])
		assert.Equal(t, transcript.OriginASR, res.Transcript.Source)
		assert.Equal(t, transcript.Upload, res.Transcript.Platform)
		assert.Len(t, res.Transcript.ExternalID, 32)

		var segments []transcript.Segment
		require.NoError(t, json.Unmarshal(plain(t, job.SegmentsJSON), &segments))
		require.Len(t, segments, e.calls())
		assert.Greater(t, len(segments), 2, "the recording was not cut")
		for i, seg := range segments {
			assert.Equal(t, "hello", seg.Text)
			assert.Greater(t, seg.Start, float64(i*14), "segment %d is not on the media clock", i)
		}
		b.nothingLeft(t)
	})
}

// slow is a recognizer that likes long chunks.
type slow struct{ *script }

func (s slow) Info() engine.RecognizerInfo {
	info := s.script.Info()
	info.Chunk = 5 * time.Minute
	return info
}

// A large model on a small machine takes some ten times as long as the audio, and
// its step lasts that long whatever the chunk.
func TestLongChunksHaveTheirTime(t *testing.T) {
	t.Parallel()
	var left time.Duration
	e := &script{recognize: func(ctx context.Context, _ int, _ engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
		deadline, ok := ctx.Deadline()
		assert.True(t, ok, "a recognizer that hangs must not do so forever")
		left = time.Until(deadline)
		return heard("hello"), nil
	}}
	b := start(t, dbtest.Open(t, dbtest.SQLite(t)), e, func(c *service.Config) { c.Engine.Recognizer = slow{e} })
	job := b.end(t, b.job(t, recording(t, 5, 1)).JobID)
	require.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
	assert.Greater(t, left, 10*5*time.Minute)
}

func TestRepeatedUploadIsCached(t *testing.T) {
	t.Parallel()
	e := &script{}
	b := start(t, dbtest.Open(t, dbtest.SQLite(t)), e)
	b.end(t, b.job(t, recording(t, 5, 1)).JobID)
	require.Equal(t, 1, e.calls())

	for _, languages := range []string{"", "en", "asr", "asr-en-GB"} {
		out, err := b.submit(t, acme, recording(t, 5, 1), languages)
		require.NoError(t, err)
		require.NotNil(t, out.Result, "language list %q", languages)
		assert.True(t, out.Result.Cached)
		assert.NotEmpty(t, plain(t, out.Result.SegmentsJSON))
	}
	assert.Equal(t, 1, e.calls())
	b.nothingLeft(t)

	other, err := b.submit(t, "other", recording(t, 5, 1), "")
	require.NoError(t, err)
	assert.NotNil(t, other.Job, "an upload was shared between accounts")
}

func TestResultAsAsked(t *testing.T) {
	t.Parallel()
	b := start(t, dbtest.Open(t, dbtest.SQLite(t)), &script{})
	id := b.end(t, b.job(t, recording(t, 5, 1)).JobID).JobID

	plain, err := b.Jobs.Job(t.Context(), acme, id, &view.View{})
	require.NoError(t, err)
	assert.Nil(t, plain.Result.Transcript.Title, "metadata that nobody asked for")
	assert.Nil(t, plain.Result.Metadata)
	assert.Equal(t, transcript.MetadataPartial, plain.Result.MetadataStatus)

	text, err := b.Jobs.Job(t.Context(), acme, id, &view.View{Format: transcript.Text})
	require.NoError(t, err)
	assert.Equal(t, "[00:00:00] hello", text.Result.Text)
	text, err = b.Jobs.Job(t.Context(), acme, id, &view.View{Format: transcript.Text, OmitTimestamp: true})
	require.NoError(t, err)
	assert.Equal(t, "hello", text.Result.Text)
}

func TestEqualUploadsAtOnce(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		e := &script{}
		b := prepare(t, s, e) // not started: all of them meet
		const callers = 40
		ids := make([]string, callers)
		file := recording(t, 5, 1)
		var wg sync.WaitGroup
		for i := range callers {
			wg.Go(func() {
				out, err := b.submit(t, acme, file, "")
				if assert.NoError(t, err) && assert.NotNil(t, out.Job) {
					ids[i] = out.Job.JobID
				}
			})
		}
		wg.Wait()
		for _, id := range ids {
			assert.Equal(t, ids[0], id)
		}
		assert.Len(t, b.blobs(t), 1, "one upload is needed, the others are not")
	})
}

func TestSilenceIsAnEmptyTranscript(t *testing.T) {
	t.Parallel()
	e := &script{}
	b := start(t, dbtest.Open(t, dbtest.SQLite(t)), e)
	job := b.end(t, b.job(t, silentRecording(t, 20)).JobID)
	require.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
	assert.Equal(t, "[]", string(plain(t, job.SegmentsJSON)))
	assert.Zero(t, e.calls(), "silence was recognized")
	assert.True(t, job.Result.NothingHeard)
	again, err := b.submit(t, acme, silentRecording(t, 20), "")
	require.NoError(t, err)
	assert.True(t, again.Result.NothingHeard, "the cache says so too")
	assert.NotEmpty(t, job.Result.Metadata["gaps"])
}

func TestFaults(t *testing.T) {
	t.Parallel()
	transient := transcript.Errorf(transcript.UpstreamFailed, "The endpoint stumbled.")
	tests := map[string]struct {
		engine  *script
		max     time.Duration
		file    []byte
		code    transcript.Code
		stage   transcript.Stage
		attempt int
	}{
		"not media": {&script{}, 0, []byte("a text"), transcript.UploadInvalid, transcript.StageDurationCheck, 1},
		"no audio": {&script{probe: func() (engine.MediaInfo, error) { return engine.MediaInfo{}, nil }},
			0, recording(t, 5, 1), transcript.UploadInvalid, transcript.StageDurationCheck, 1},
		"longer than it says": {&script{}, 4 * time.Second, recording(t, 5, 1), transcript.MediaTooLarge, transcript.StageDurationCheck, 1},
		"shorter than it says": {&script{probe: func() (engine.MediaInfo, error) {
			return engine.MediaInfo{HasAudio: true, Duration: time.Hour}, nil
		}}, 4 * time.Second, recording(t, 3, 1), "", transcript.StageDone, 1},
		"permanent": {&script{recognize: func(context.Context, int, engine.Audio, engine.RecognizeOptions) (engine.Recognition, error) {
			return engine.Recognition{}, transcript.Errorf(transcript.ConfigError, "The model is gone.")
		}}, 0, recording(t, 5, 1), transcript.ConfigError, transcript.StageASRRunning, 1},
		"once": {&script{recognize: func(_ context.Context, call int, _ engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
			if call == 1 {
				return engine.Recognition{}, transient
			}
			return heard("hello"), nil
		}}, 0, recording(t, 5, 1), "", transcript.StageDone, 2},
		"panic, once": {&script{recognize: func(_ context.Context, call int, _ engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
			if call == 1 {
				panic("an engine's fault")
			}
			return heard("hello"), nil
		}}, 0, recording(t, 5, 1), "", transcript.StageDone, 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t, dbtest.Open(t, dbtest.SQLite(t)), tt.engine, func(c *service.Config) { c.MaxMediaDuration = cmp.Or(tt.max, c.MaxMediaDuration) })
			job := b.end(t, b.job(t, tt.file).JobID)
			assert.Equal(t, tt.stage, job.Stage)
			assert.Equal(t, tt.attempt, job.Attempt)
			b.nothingLeft(t)
			if tt.code == "" {
				require.Nil(t, job.Error)
				return
			}
			require.NotNil(t, job.Error)
			assert.Equal(t, tt.code, job.Error.Code)
			assert.False(t, *job.Error.Retryable)
			assert.NotContains(t, job.Error.Message, "goroutine")
		})
	}
}

func TestGivesUp(t *testing.T) {
	t.Parallel()
	e := &script{recognize: func(context.Context, int, engine.Audio, engine.RecognizeOptions) (engine.Recognition, error) {
		return engine.Recognition{}, errors.New("a secret of the machine")
	}}
	b := start(t, dbtest.Open(t, dbtest.SQLite(t)), e, (*service.Config).PauseBriefly)
	job := b.end(t, b.job(t, recording(t, 5, 1)).JobID)
	require.NotNil(t, job.Error)
	assert.Equal(t, transcript.Internal, job.Error.Code)
	assert.True(t, *job.Error.Retryable)
	assert.NotContains(t, job.Error.Message, "secret")
	assert.Equal(t, 4, job.Attempt)
	assert.Equal(t, 4, e.calls())
}

// A server that is away for a moment fails every chunk that is sent to it then, and
// the job not at all: what counts is how often one and the same was tried.
func TestRecognizerIsAwayForAMoment(t *testing.T) {
	t.Parallel()
	back := sync.OnceValue(func() time.Time { return time.Now().Add(time.Second) })
	e := &script{recognize: func(context.Context, int, engine.Audio, engine.RecognizeOptions) (engine.Recognition, error) {
		if time.Now().Before(back()) {
			return engine.Recognition{}, transcript.Errorf(transcript.UpstreamFailed, "The endpoint is not there.")
		}
		return heard("hello"), nil
	}}
	b := start(t, dbtest.Open(t, dbtest.SQLite(t)), e)
	job := b.end(t, b.job(t, recording(t, 240, 1)).JobID)
	require.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
	assert.Equal(t, 2, job.Attempt)
	assert.Len(t, segmentsOf(t, job.SegmentsJSON), 9)
}

func TestReceive(t *testing.T) {
	t.Parallel()
	b := prepare(t, dbtest.Open(t, dbtest.SQLite(t)), &script{})
	broken := errors.New("the line broke")
	tests := map[string]struct {
		body  io.Reader
		limit int64
		want  error
	}{
		"just fits": {strings.NewReader(strings.Repeat("x", 100)), 100, nil},
		"unlimited": {strings.NewReader(strings.Repeat("x", 100)), account.Unlimited, nil},
		"too large": {strings.NewReader(strings.Repeat("x", 101)), 100, transcript.MediaTooLarge},
		"not any":   {strings.NewReader("x"), 0, transcript.MediaTooLarge},
		"empty":     {strings.NewReader(""), 100, transcript.UploadInvalid},
		"cut off":   {io.MultiReader(strings.NewReader("abc"), failing{broken}), 100, broken},
	}
	for name, tt := range tests {
		u, err := b.Receive(t.Context(), tt.body, tt.limit)
		if tt.want == nil {
			require.NoError(t, err, name)
			assert.EqualValues(t, 100, u.Size)
			u.Abort(t.Context())
		} else {
			require.ErrorIs(t, err, tt.want, name)
		}
		assert.Empty(t, b.blobs(t), name)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestUnknownLanguageIsRefused(t *testing.T) {
	t.Parallel()
	b := prepare(t, dbtest.Open(t, dbtest.SQLite(t)), &script{})
	_, err := b.submit(t, acme, recording(t, 1, 1), "asr-de")
	var coded *transcript.Error
	require.ErrorAs(t, err, &coded)
	assert.Equal(t, transcript.NotImplemented, coded.Code)
	assert.Equal(t, map[string]any{"languages": []string{"de"}, "engine": "script", "known": []string{"en"}}, coded.Details)
	assert.Empty(t, b.blobs(t))
}

func TestForeignJobIsUnknown(t *testing.T) {
	t.Parallel()
	b := prepare(t, dbtest.Open(t, dbtest.SQLite(t)), &script{})
	id := b.job(t, recording(t, 1, 1)).JobID
	ctx := t.Context()
	_, err := b.Jobs.Job(ctx, "other", id, nil)
	require.ErrorIs(t, err, transcript.NotFound)
	_, err = b.Cancel(ctx, "other", id, nil)
	require.ErrorIs(t, err, transcript.NotFound)
	_, err = b.Jobs.Wait(ctx, "other", id, nil)
	require.ErrorIs(t, err, transcript.NotFound)
	_, err = b.Jobs.Watch(ctx, "other", id, 0)
	require.ErrorIs(t, err, transcript.NotFound)
}

func TestCancel(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		begun, stopped := make(chan struct{}, 8), make(chan struct{}, 8)
		e := &script{recognize: func(ctx context.Context, _ int, _ engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
			begun <- struct{}{}
			<-ctx.Done()
			stopped <- struct{}{}
			return engine.Recognition{}, ctx.Err()
		}}
		b := start(t, s, e)
		id := b.job(t, recording(t, 65, 1)).JobID
		<-begun
		job, err := b.Cancel(t.Context(), acme, id, nil)
		require.NoError(t, err)
		assert.Equal(t, transcript.JobCancelled, job.Status)
		assert.Equal(t, transcript.StageASRRunning, job.Stage)
		<-stopped
		b.nothingLeft(t)

		_, err = b.Cancel(t.Context(), acme, id, nil)
		var coded *transcript.Error
		require.ErrorAs(t, err, &coded)
		assert.Equal(t, transcript.StateConflict, coded.Code)
		assert.EqualValues(t, transcript.JobCancelled, coded.Details["status"])

		out, err := b.submit(t, acme, recording(t, 65, 1), "")
		require.NoError(t, err)
		assert.NotEqual(t, id, out.Job.JobID, "a cancelled job was handed out again")
		_, err = b.Cancel(t.Context(), acme, out.Job.JobID, nil)
		require.NoError(t, err)
	})
}

// TestStopGivesWorkBack stops a pipeline in the middle of a recognition; the
// next one takes the work up without counting an attempt.
func TestStopGivesWorkBack(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		begun := make(chan struct{}, 8)
		e := &script{recognize: func(ctx context.Context, call int, _ engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
			if call > 2 {
				return heard("again"), nil
			}
			if call == 1 {
				return heard("first"), nil
			}
			begun <- struct{}{}
			<-ctx.Done()
			return engine.Recognition{}, ctx.Err()
		}}
		first := prepare(t, s, e, func(c *service.Config) { c.ASRWorkers = 1 })
		require.NoError(t, first.Start(t.Context()))
		id := first.job(t, recording(t, 35, 1)).JobID
		<-begun
		require.NoError(t, first.Stop(t.Context()))
		job, err := first.Jobs.Job(t.Context(), acme, id, nil)
		require.NoError(t, err)
		assert.Equal(t, transcript.JobPending, job.Status)
		assert.Equal(t, transcript.StageASRQueued, job.Stage)
		assert.Equal(t, 1, job.Attempt)

		second := start(t, s, e)
		job = second.end(t, id)
		require.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
		assert.Equal(t, 1, job.Attempt)
		assert.Contains(t, string(plain(t, job.SegmentsJSON)), "first")
		assert.Equal(t, 2+bytes.Count(plain(t, job.SegmentsJSON), []byte("again")), e.calls(), "a finished chunk was recognized again")
	})
}

func TestWatch(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		go_ := make(chan struct{})
		e := &script{recognize: func(ctx context.Context, _ int, a engine.Audio, o engine.RecognizeOptions) (engine.Recognition, error) {
			for i := range 20 {
				o.Progress(a.Duration / 20 * time.Duration(i))
				select {
				case <-go_:
				case <-ctx.Done():
					return engine.Recognition{}, ctx.Err()
				}
			}
			return heard("hello"), nil
		}}
		b := start(t, s, e, func(c *service.Config) { c.ASRWorkers = 1 })
		id := b.job(t, recording(t, 5, 1)).JobID
		go func() {
			for range 20 {
				select {
				case go_ <- struct{}{}:
				case <-t.Context().Done():
					return
				}
			}
		}()

		seq, err := b.Jobs.Watch(t.Context(), acme, id, 0)
		require.NoError(t, err)
		var ids, progress []int
		var last view.Event
		for ev, err := range seq {
			require.NoError(t, err)
			if last.Type == "" {
				assert.Equal(t, transcript.EventSnapshot, ev.Type)
				ids = append(ids, ev.Job.Sequence)
			}
			if ev.ID != 0 {
				ids = append(ids, ev.ID)
			} else if ev.Type == transcript.EventProgress {
				progress = append(progress, int(1000*ev.Job.Progress.Fraction))
			}
			last = ev
		}
		assert.Equal(t, transcript.EventCompleted, last.Type)
		assert.NotEmpty(t, plain(t, last.SegmentsJSON))
		for i := 1; i < len(ids); i++ {
			assert.Equal(t, ids[i-1]+1, ids[i])
		}
		assert.IsIncreasing(t, progress)

		// A watcher that comes back sees what it missed, and nothing twice.
		for after := 1; after < last.ID; after++ {
			seq, err := b.Jobs.Watch(t.Context(), acme, id, after)
			require.NoError(t, err)
			want := after
			for ev, err := range seq {
				require.NoError(t, err)
				want++
				assert.Equal(t, want, ev.ID)
			}
			assert.Equal(t, want, last.ID)
		}
		_, err = b.Jobs.Watch(t.Context(), acme, id, last.ID)
		require.ErrorIs(t, err, view.ErrNothingMore)

		// One without a usable place gets a snapshot and the end.
		for _, after := range []int{0, -3, last.ID + 1} {
			seq, err := b.Jobs.Watch(t.Context(), acme, id, after)
			require.NoError(t, err)
			var types []transcript.EventType
			for ev, err := range seq {
				require.NoError(t, err)
				types = append(types, ev.Type)
			}
			assert.Equal(t, []transcript.EventType{transcript.EventSnapshot, transcript.EventCompleted}, types)
		}
	})
}

// TestMovesAreLawful looks at every transition that the tests' journeys make.
func TestMovesAreLawful(t *testing.T) {
	t.Parallel()
	s := dbtest.Open(t, dbtest.SQLite(t))
	e := &script{recognize: func(_ context.Context, call int, _ engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
		if call == 1 {
			return engine.Recognition{}, transcript.RateLimited
		}
		return heard("hello"), nil
	}}
	b := start(t, s, e)
	id := b.end(t, b.job(t, recording(t, 5, 1)).JobID).JobID
	events, err := s.Jobs.Events(t.Context(), id, 0)
	require.NoError(t, err)
	var path []string
	from := lifecycle.State{}
	for i, ev := range events {
		assert.Equal(t, i+1, ev.Sequence)
		assert.True(t, lifecycle.CanMove(from, ev.State), "%v to %v", from, ev.State)
		path, from = append(path, string(ev.State.Stage)), ev.State
	}
	assert.Equal(t, "queued duration_check asr_queued asr_running asr_queued asr_running publishing done", strings.Join(path, " "))
}
