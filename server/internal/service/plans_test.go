package service_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestWithoutRecognitionInThePlan(t *testing.T) {
	t.Parallel()
	poor := func(s intake.Submission) intake.Submission {
		s.Account, s.Plan.ASR = "poor", false
		s.Plan.ActionLabel, s.Plan.ActionURL = "Upgrade", "https://example.com/plans"
		return s
	}
	t.Run("tracks in other languages", func(t *testing.T) {
		t.Parallel()
		sites := newPlatforms(t, manual("de"), auto("fr"), auto("de"), forced("it"))
		b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), &script{}, sites)
		job := b.send(t, poor(link("v1", "en")))
		require.Equal(t, transcript.JobFailed, job.Status)
		assert.Equal(t, transcript.LanguageNotAvailable, job.Error.Code)
		assert.Equal(t, []string{"de", "fr"}, job.Error.AvailableLanguages)
		assert.ErrorIs(t, b.store.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.Works.LockRunning(ctx, "", transcript.VideoSite, "v1", "en", "", transcript.Listening{})
			return err
		}), db.ErrNotFound, "work for nobody")
		assert.Zero(t, sites.downloads)
	})
	for name, tracks := range map[string][]transcript.Track{"no tracks": nil, "only tracks that are forced": {forced("en")}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), &script{}, newPlatforms(t, tracks...))
			job := b.send(t, poor(link("v1", "en,asr")))
			require.Equal(t, transcript.JobFailed, job.Status)
			assert.Equal(t, transcript.NoTranscript, job.Error.Code)
			assert.Empty(t, job.Error.AvailableLanguages)
			assert.Equal(t, transcript.StageCaptionFetch, job.Stage)
		})
	}
	t.Run("certain to need it", func(t *testing.T) {
		t.Parallel()
		b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), &script{}, newPlatforms(t))
		photo := poor(link("v1", "en"))
		photo.Content.Platform = transcript.PhotoSite
		for _, s := range []intake.Submission{poor(link("v1", "asr")), poor(link("v1", "asr-en,en")), photo} {
			_, err := b.Submit(t.Context(), s)
			require.ErrorIs(t, err, transcript.UpgradeRequired)
			var coded *transcript.Error
			require.ErrorAs(t, err, &coded)
			assert.Equal(t, "https://example.com/plans", coded.ActionURL)
		}
	})
	t.Run("beside one who may", func(t *testing.T) {
		t.Parallel()
		gate := make(chan struct{})
		sites := newPlatforms(t)
		sites.captions = func(context.Context, int) error { <-gate; return nil }
		hold := make(chan struct{})
		e := &script{recognize: func(ctx context.Context, _ int, _ engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
			<-hold
			return heard("hello"), nil
		}}
		b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), e, sites)
		rich, err := b.Submit(t.Context(), link("v1", "en"))
		require.NoError(t, err)
		out, err := b.Submit(t.Context(), poor(link("v1", "en")))
		require.NoError(t, err)
		close(gate)
		job, err := b.Jobs.Wait(t.Context(), "poor", out.Job.JobID, nil)
		require.NoError(t, err)
		assert.Equal(t, transcript.JobFailed, job.Status, "a claim that fails ends alone")
		assert.Equal(t, transcript.NoTranscript, job.Error.Code)

		require.Eventually(t, func() bool { return e.calls() > 0 }, time.Minute, time.Millisecond)
		late, err := b.Submit(t.Context(), poor(link("v1", "en")))
		require.NoError(t, err)
		require.NotNil(t, late.Job)
		assert.Equal(t, transcript.JobFailed, late.Job.Status, "judged on joining, as captions are over")
		assert.Equal(t, transcript.NoTranscript, late.Job.Error.Code)
		close(hold)
		assert.Equal(t, transcript.JobSuccess, b.end(t, rich.Job.JobID).Status)
		assert.Equal(t, 1, sites.questions())

		cached, err := b.Submit(t.Context(), poor(link("v1", "en")))
		require.NoError(t, err)
		assert.NotNil(t, cached.Result, "what is there costs nothing")
	})
}

// A job keeps the limits under which it was accepted, so that a worker need not
// know the caller's plan.
func TestAJobCarriesItsLimits(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		b := prepareLinks(t, s, newPlatforms(t))
		for _, test := range []struct {
			account string
			asr     bool
		}{{"rich", true}, {"poor", false}} {
			submission := link("v1", "en")
			submission.Account, submission.Plan.ASR = test.account, test.asr
			out, err := b.Submit(t.Context(), submission)
			require.NoError(t, err)
			job, err := s.Jobs.Owned(t.Context(), test.account, out.Job.JobID)
			require.NoError(t, err)
			assert.Equal(t, test.asr, job.Limits.ASR, test.account)
		}
		id := b.job(t, recording(t, 5, 1)).JobID
		job, err := s.Jobs.Owned(t.Context(), acme, id)
		require.NoError(t, err)
		assert.True(t, job.Limits.ASR, "whoever may upload may have the upload recognized")
	})
}

func TestWithoutEngines(t *testing.T) {
	t.Parallel()
	s := dbtest.Open(t, dbtest.SQLite(t))
	sites := newPlatforms(t)
	b := startLinks(t, s, &script{}, sites, func(c *service.Config) { c.Engine.Recognizer = nil })
	_, err := b.Submit(t.Context(), link("v1", "asr"))
	require.ErrorIs(t, err, transcript.NotImplemented)
	job := b.send(t, link("v1", "en"))
	require.Equal(t, transcript.JobFailed, job.Status)
	assert.Equal(t, transcript.NotImplemented, job.Error.Code)
	assert.Equal(t, transcript.StageDurationCheck, job.Stage)
	assert.Zero(t, sites.downloads, "a download for nobody")

	none := prepare(t, dbtest.Open(t, dbtest.SQLite(t)), &script{}) // neither captions nor sound
	_, err = none.Submit(t.Context(), link("v1", "en"))
	require.ErrorIs(t, err, transcript.NotImplemented)
}

// Whoever may not have recognition is told so at once, also where others have it
// running.
func TestJoinWithoutRecognitionInThePlan(t *testing.T) {
	t.Parallel()
	b := prepareLinks(t, dbtest.Open(t, dbtest.SQLite(t)), newPlatforms(t))
	photo := link("v1", "en")
	photo.Content.Platform = transcript.PhotoSite
	for _, s := range []intake.Submission{link("v1", "asr"), photo} {
		_, err := b.Submit(t.Context(), s)
		require.NoError(t, err)
		s.Account, s.Plan.ASR = "poor", false
		_, err = b.Submit(t.Context(), s)
		require.ErrorIs(t, err, transcript.UpgradeRequired)
	}
}
