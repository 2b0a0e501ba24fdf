package service_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// blocksForAnHour is the answer of a platform that asks to be left alone for an hour.
func blocksForAnHour(context.Context, int) error {
	e := transcript.Errorf(transcript.IPBlocked, "The platform blocks.")
	e.RetryAfter = 3600
	return e
}

func afterASecond(c *service.Config) { c.RecognizeBlockedAfter = time.Second }

// TestBlockedCaptionsAreRecognized: the sound is recognized long before the block ends, and the
// transcript tells why. A job whose plan has no recognition shares the work until then.
func TestBlockedCaptionsAreRecognized(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		sites := newPlatforms(t, manual("en"))
		sites.captions = blocksForAnHour
		b := startLinks(t, s, &script{}, sites, afterASecond)
		first, err := b.Submit(t.Context(), link("v1", "en"))
		require.NoError(t, err)
		without, err := b.Submit(t.Context(), poor(link("v1", "en")))
		require.NoError(t, err)
		job, err := b.Jobs.Wait(t.Context(), acme, first.Job.JobID, nil)
		require.NoError(t, err)
		require.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
		assert.Equal(t, transcript.OriginASR, job.Result.Transcript.Source)
		metadata := job.Result.Transcript.Metadata
		assert.Equal(t, true, metadata["captionsBlocked"])
		assert.Equal(t, []any{map[string]any{"source": "video_site_downloader", "code": "IP_BLOCKED", "reason": "The platform blocks."}}, metadata["tried"])
		assert.Nil(t, job.LastError, "it has succeeded")
		assert.Equal(t, 1, job.Attempt, "waiting is not failing")

		ended, err := b.Jobs.Wait(t.Context(), "poor", without.Job.JobID, nil)
		require.NoError(t, err)
		require.Equal(t, transcript.JobFailed, ended.Status)
		assert.Equal(t, transcript.IPBlocked, ended.Error.Code, "the content may have captions")
	})
}

// TestPlanChoosesForBlockedCaptions: the time of a plan replaces the time of the service.
func TestPlanChoosesForBlockedCaptions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name          string
		plan, service time.Duration
		recognizes    bool
	}{
		{"the plan alone", time.Second, 0, true},
		{"the plan says wait", account.Unlimited, time.Second, false},
		{"nobody says a time", 0, 0, false},
		{"the plan says later", time.Hour, time.Second, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			sites := newPlatforms(t, manual("en"))
			sites.captions = blocksForAnHour
			b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), &script{}, sites, func(c *service.Config) {
				c.RecognizeBlockedAfter = test.service
				if !test.recognizes {
					c.WaitNoLonger()
				}
			})
			asked := link("v1", "en")
			asked.Plan.RecognizeBlockedAfter = test.plan
			job := b.send(t, asked)
			if test.recognizes {
				assert.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
				return
			}
			require.Equal(t, transcript.JobFailed, job.Status)
			assert.Equal(t, transcript.IPBlocked, job.Error.Code)
			assert.Zero(t, sites.downloads)
		})
	}
}

// TestBlockedCaptionsWithoutRecognizer: if nothing can recognize the sound, the job waits for its
// captions as before.
func TestBlockedCaptionsWithoutRecognizer(t *testing.T) {
	t.Parallel()
	sites := newPlatforms(t, manual("en"))
	sites.captions = blocksForAnHour
	b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), &script{}, sites, afterASecond, func(c *service.Config) {
		c.Engine.Recognizer = nil
		c.WaitNoLonger()
	})
	job := b.send(t, link("v1", "en"))
	require.Equal(t, transcript.JobFailed, job.Status)
	assert.Equal(t, transcript.IPBlocked, job.Error.Code)
}

// TestPaceIsNoBlock: the service's own pace holds visits back. Their captions are not blocked.
func TestPaceIsNoBlock(t *testing.T) {
	t.Parallel()
	sites := newPlatforms(t, manual("en"))
	sites.captions = func(_ context.Context, call int) error {
		if call > 2 {
			return nil
		}
		e := transcript.Errorf(transcript.IPBlocked, "This service may not visit the platform more often.").Because(throttle.ErrTooOften)
		e.RetryAfter = 1
		return e
	}
	b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), &script{}, sites, afterASecond)
	job := b.succeed(t, link("v1", "en"))
	assert.Equal(t, transcript.OriginDownloader, job.Result.Transcript.Source)
	assert.Zero(t, sites.downloads)
}
