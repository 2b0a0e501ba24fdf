package service_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// TestWorkThatThisProcessCannotDo is accepted by a process that could do it, and
// taken up by one that cannot.
func TestWorkThatThisProcessCannotDo(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		for name, lacks := range map[string]func(*engine.Engine){
			"recognizer": func(e *engine.Engine) { e.Recognizer = nil },
			"media":      func(e *engine.Engine) { e.Media = nil },
			"language": func(e *engine.Engine) {
				e.Recognizer = named{Recognizer: e.Recognizer, info: engine.RecognizerInfo{Name: "other", Languages: []string{"de"}}}
			},
		} {
			accepts := prepare(t, s, &script{})
			out, err := accepts.submit(t, acme, recording(t, 5, len(name)), "asr-en")
			require.NoError(t, err)
			b := prepare(t, s, &script{}, func(c *service.Config) { lacks(&c.Engine) })
			require.NoError(t, b.Start(t.Context()))
			job := b.end(t, out.Job.JobID)
			b.nothingLeft(t)
			require.NoError(t, b.Stop(t.Context()))
			require.NotNil(t, job.Error, name)
			assert.Equal(t, transcript.NotImplemented, job.Error.Code, name)
			assert.Equal(t, 1, job.Attempt, name)
			_, err = b.submit(t, acme, recording(t, 5, 9), "asr-en")
			require.ErrorIs(t, err, transcript.NotImplemented, name)
		}
	})
}

// TestNoRecognizerIsLeft takes the recognizer away in the middle of a recognition.
func TestNoRecognizerIsLeft(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{}, 8)
	e := &script{recognize: func(ctx context.Context, call int, _ engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
		if call == 1 {
			return heard("first"), nil
		}
		begun <- struct{}{}
		<-ctx.Done()
		return engine.Recognition{}, ctx.Err()
	}}
	s := dbtest.Open(t, dbtest.SQLite(t))
	first := prepare(t, s, e, func(c *service.Config) { c.ASRWorkers = 1 })
	require.NoError(t, first.Start(t.Context()))
	id := first.job(t, recording(t, 35, 1)).JobID
	<-begun
	require.NoError(t, first.Stop(t.Context()))

	second := start(t, s, e, func(c *service.Config) { c.Engine.Recognizer = nil })
	job := second.end(t, id)
	require.NotNil(t, job.Error)
	assert.Equal(t, transcript.NotImplemented, job.Error.Code)
	second.nothingLeft(t)
}

// named is a recognizer with another name.
type named struct {
	engine.Recognizer
	info engine.RecognizerInfo
}

func (n named) Info() engine.RecognizerInfo { return n.info }

// A recognizer that passes its calls on to others says to which one.
func TestATextNamesWhoItWasPassedTo(t *testing.T) {
	t.Parallel()
	e := &script{recognize: func(context.Context, int, engine.Audio, engine.RecognizeOptions) (engine.Recognition, error) {
		r := heard("hello")
		r.By = &engine.RecognizerInfo{Name: "inner", Model: "i", Detects: true}
		return r, nil
	}}
	b := start(t, dbtest.Open(t, dbtest.SQLite(t)), e)
	job := b.end(t, b.job(t, recording(t, 5, 1)).JobID)
	require.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
	assert.Equal(t, "inner", job.Result.Metadata["engine"])
	assert.Equal(t, "i", job.Result.Metadata["model"])
}

// TestATextNamesWhoHeardIt: processes with different recognizers share the work
// on one recording, and one with a third one publishes it.
func TestATextNamesWhoHeardIt(t *testing.T) {
	t.Parallel()
	s := dbtest.Open(t, dbtest.SQLite(t))
	calls := 0
	stopAt := make(chan struct{}, 8)
	e := &script{recognize: func(ctx context.Context, call int, _ engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
		if calls++; calls == 2 {
			stopAt <- struct{}{}
			<-ctx.Done()
			return engine.Recognition{}, ctx.Err()
		}
		r := heard("hello")
		r.Language = ""
		if calls > 2 { // the second hears more
			r.Segments[0].Duration = 3
		}
		return r, nil
	}}
	as := func(info engine.RecognizerInfo) func(*service.Config) {
		return func(c *service.Config) {
			c.ASRWorkers = 1
			c.Engine.Recognizer = named{e, info}
		}
	}
	first := prepare(t, s, e, as(engine.RecognizerInfo{Name: "small", Model: "s", ModelSHA256: "5a", Quality: "low", Languages: []string{"en"}}))
	require.NoError(t, first.Start(t.Context()))
	id := first.job(t, recording(t, 35, 1)).JobID
	<-stopAt
	require.NoError(t, first.Stop(t.Context()))

	b := start(t, s, e, as(engine.RecognizerInfo{Name: "large", Languages: []string{"de", "en"}}))
	job := b.end(t, id)
	require.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
	assert.Equal(t, "large", job.Result.Metadata["engine"])
	assert.NotContains(t, job.Result.Metadata, "model", "that of the other one")
	assert.NotContains(t, job.Result.Metadata, "modelSHA256")
	assert.NotContains(t, job.Result.Metadata, "quality")
	assert.Equal(t, []any{
		map[string]any{"engine": "large", "language": "de", "languageDetected": false},
		map[string]any{"engine": "small", "model": "s", "modelSHA256": "5a", "quality": "low", "language": "en", "languageDetected": false},
	}, job.Result.Metadata["recognizers"])
	assert.Equal(t, "de", job.Result.Language, "what the one with the most speech listens for")
}
