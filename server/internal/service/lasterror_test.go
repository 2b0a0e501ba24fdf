package service_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// secret is a text that only the log may show.
const secret = "the secret cause"

// blocksWithCure is a block with a cure, and a cause for the log.
func blocksWithCure(seconds int) error {
	e := transcript.Errorf(transcript.IPBlocked, "The platform blocks. Wait.").Because(errors.New(secret))
	e.Cure, e.RetryAfter = "Wait.", seconds
	return e
}

// why is a LastError without its time.
type why struct {
	Code          transcript.Code
	Message, Cure string
	Attempt       int
}

func whyOf(e *transcript.LastError) why {
	if e == nil {
		return why{}
	}
	w := why{Code: e.Code, Message: e.Message, Attempt: e.Attempt}
	if e.Cure != nil {
		w.Cure = *e.Cure
	}
	return w
}

// watched returns all events of a job after a sequence, until its end.
func (b *bench) watched(t *testing.T, account, id string, after int) (events []view.Event) {
	t.Helper()
	all, err := b.Jobs.Watch(t.Context(), account, id, after)
	require.NoError(t, err)
	for e, err := range all {
		require.NoError(t, err)
		events = append(events, e)
	}
	return events
}

// Each event tells the error of its time, also when the events are sent again later.
func TestLastErrorInEvents(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		sites := newPlatforms(t, manual("en"))
		sites.captions = func(_ context.Context, call int) error {
			switch call {
			case 1:
				return errors.New(secret)
			case 2:
				return blocksWithCure(1)
			}
			return nil
		}
		b := startLinks(t, s, &script{}, sites)
		job := b.succeed(t, link("v1", "en"))
		assert.Equal(t, 2, job.Attempt)
		assert.Nil(t, job.LastError, "the work has succeeded")

		failed := why{transcript.Internal, "The service failed to do the work.", "", 1}
		blocked := why{transcript.IPBlocked, "The platform blocks.", "Wait.", 2}
		var got []why
		for _, e := range b.watched(t, acme, job.JobID, 1) {
			got = append(got, whyOf(e.Job.LastError))
			if e.Job.LastError != nil {
				assert.False(t, e.Job.LastError.At.Before(job.CreatedAt.Time))
				assert.False(t, e.Job.LastError.At.After(job.UpdatedAt.Time))
			}
			shown, err := json.Marshal(e.Job)
			require.NoError(t, err)
			assert.NotContains(t, string(shown), secret)
		}
		assert.Equal(t, []why{{}, failed, failed, blocked, blocked, {}, {}}, got)
	})
}

// A job that fails for good keeps the error of its last attempt, with the cure apart.
func TestLastErrorOfFailedJob(t *testing.T) {
	t.Parallel()
	sites := newPlatforms(t, manual("en"))
	sites.captions = func(context.Context, int) error {
		e := transcript.Errorf(transcript.UpstreamFailed, "It breaks. Mend it.")
		e.Cure = "Mend it."
		return e
	}
	b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), &script{}, sites)
	job := b.send(t, link("v1", "en"))
	require.Equal(t, transcript.JobFailed, job.Status)
	assert.Equal(t, "It breaks. Mend it.", job.Error.Message)
	assert.Equal(t, why{transcript.UpstreamFailed, "It breaks.", "Mend it.", 4}, whyOf(job.LastError))
}

// A recording that waits for the recognizer in the queue tells why, without a change of state: as
// an event, in the snapshot, and to an account that joins. The text is gone when a chunk is done.
func TestLastErrorWhileTheRecognizerIsAway(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		back, watching := make(chan struct{}), make(chan struct{})
		e := &script{}
		away := &server{script: e, check: func(int32) error {
			<-watching
			select {
			case <-back:
				return nil
			default:
				return transcript.Errorf(transcript.UpstreamFailed, secret)
			}
		}}
		b := start(t, s, e, away.in)
		job := b.job(t, recording(t, 5, 1))
		var news []view.Event
		all, err := b.Jobs.Watch(t.Context(), acme, job.JobID, 0)
		require.NoError(t, err)
		for e, err := range all {
			require.NoError(t, err)
			if e.Type == transcript.EventSnapshot {
				close(watching)
			}
			if e.Job.LastError != nil && len(news) == 0 {
				news = append(news, e)
				now, err := b.Jobs.Job(t.Context(), acme, job.JobID, nil)
				require.NoError(t, err)
				assert.Equal(t, transcript.ServiceUnavailable, now.LastError.Code)
				close(back)
			}
		}
		require.Len(t, news, 1)
		assert.Equal(t, transcript.EventProgress, news[0].Type)
		assert.Zero(t, news[0].ID, "the job has not moved")
		assert.Equal(t, transcript.StageASRQueued, news[0].Job.Stage)
		told := whyOf(news[0].Job.LastError)
		assert.Equal(t, why{transcript.ServiceUnavailable, "The service cannot reach its speech recognizer at the moment.", told.Cure, 1}, told)
		assert.Contains(t, told.Cure, "recognizer")
		ended := b.end(t, job.JobID)
		assert.Equal(t, transcript.JobSuccess, ended.Status)
		assert.Nil(t, ended.LastError)
	})
}

// The reason outlives the process, and an account that joins the work reads it too.
func TestLastErrorAfterRestart(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		blocks := func(context.Context, int) error { return blocksWithCure(3600) }
		told := why{transcript.IPBlocked, "The platform blocks.", "Wait.", 1}
		sites := newPlatforms(t, manual("en"))
		sites.captions = blocks
		first := prepareLinks(t, dbtest.Open(t, o), sites)
		require.NoError(t, first.Start(t.Context()))
		out, err := first.Submit(t.Context(), link("v1", "en"))
		require.NoError(t, err)
		first.awaitError(t, acme, out.Job.JobID)
		require.NoError(t, first.Stop(t.Context()))

		again := startLinks(t, dbtest.Open(t, o), &script{}, sites)
		job, err := again.Jobs.Job(t.Context(), acme, out.Job.JobID, nil)
		require.NoError(t, err)
		assert.Equal(t, told, whyOf(job.LastError))

		joins := link("v1", "en")
		joins.Account = "other"
		other, err := again.Submit(t.Context(), joins)
		require.NoError(t, err)
		assert.Equal(t, told, whyOf(other.Job.LastError))
		_, err = again.Cancel(t.Context(), acme, out.Job.JobID, nil)
		require.NoError(t, err)
		_, err = again.Cancel(t.Context(), "other", other.Job.JobID, nil)
		require.NoError(t, err)
		events := again.watched(t, acme, out.Job.JobID, 1)
		assert.Equal(t, told, whyOf(events[len(events)-1].Job.LastError), "a canceled job keeps it")
	})
}

// awaitError waits until a job tells why it waits.
func (b *bench) awaitError(t *testing.T, account, id string) *transcript.LastError {
	t.Helper()
	all, err := b.Jobs.Watch(t.Context(), account, id, 0)
	require.NoError(t, err)
	for e, err := range all {
		require.NoError(t, err)
		if e.Job.LastError != nil {
			return e.Job.LastError
		}
	}
	t.Fatal("the job has ended without an error on the way")
	return nil
}

// whyOfBatch returns why a batch waits now.
func (b *bench) whyOfBatch(t *testing.T, id string) *transcript.LastError {
	t.Helper()
	now, err := b.Batches.Get(t.Context(), acme, id)
	require.NoError(t, err)
	return now.LastError
}

// A batch tells the newest error of its items while they wait, and nothing when they have ended.
func TestLastErrorOfBatch(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		sites := newPlatforms(t, manual("en"))
		open := make(chan struct{})
		sites.captions = func(_ context.Context, call int) error {
			select {
			case <-open:
				return nil
			default:
				return blocksWithCure(1)
			}
		}
		b := startLinks(t, s, &script{}, sites)
		made, err := b.Batches.Create(t.Context(), batchOf(entries(3)...))
		require.NoError(t, err)
		var last *transcript.LastError
		require.Eventually(t, func() bool {
			last = b.whyOfBatch(t, made.ID)
			return last != nil
		}, time.Minute, 25*time.Millisecond)
		assert.Equal(t, why{transcript.IPBlocked, "The platform blocks.", "Wait.", 1}, whyOf(last))
		all, err := b.Batches.List(t.Context(), acme, "", "", 10)
		require.NoError(t, err)
		require.Len(t, all, 1)
		assert.NotNil(t, all[0].LastError, "the list of batches tells it too")
		close(open)
		ended := b.ended(t, acme, made.ID)
		assert.Equal(t, batch.Completed, ended.Status)
		assert.Nil(t, ended.LastError)
	})
}

// While the list of a batch cannot be read, the batch tells why. A batch that fails by that keeps
// the error of the last attempt.
func TestLastErrorOfList(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		open := make(chan struct{})
		lists := &listScript{answer: func(ctx context.Context, call, offset, n int) (engine.ListPage, error) {
			if call == 2 {
				<-open
			}
			switch call {
			case 1:
				return engine.ListPage{}, blocksWithCure(1)
			case 2:
				return engine.ListPage{}, errors.New(secret)
			}
			return listOf(3, 0)(ctx, call, offset, n)
		}}
		b := start(t, s, &script{}, listing(lists), func(c *service.Config) { c.PauseBriefly() })
		made, err := b.Batches.Create(t.Context(), playlistBatch(30, 0))
		require.NoError(t, err)
		require.Eventually(t, func() bool { return b.whyOfBatch(t, made.ID) != nil }, time.Minute, 25*time.Millisecond)
		assert.Equal(t, why{transcript.IPBlocked, "The platform blocks.", "Wait.", 1}, whyOf(b.whyOfBatch(t, made.ID)))
		close(open)
		assert.Nil(t, b.ended(t, acme, made.ID).LastError)

		broken := &listScript{answer: func(context.Context, int, int, int) (engine.ListPage, error) {
			return engine.ListPage{}, transcript.Errorf(transcript.UpstreamFailed, "It breaks.")
		}}
		other := start(t, dbtest.Open(t, dbtest.SQLite(t)), &script{}, listing(broken), func(c *service.Config) { c.PauseBriefly() })
		made, err = other.Batches.Create(t.Context(), playlistBatch(30, 0))
		require.NoError(t, err)
		failed := other.ended(t, acme, made.ID)
		assert.Equal(t, batch.Failed, failed.Status)
		assert.Equal(t, why{transcript.UpstreamFailed, "It breaks.", "", 4}, whyOf(failed.LastError))
	})
}
