package service_test

import (
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

// A source that lists no tracks does not overrule a platform that has told the source before it
// that it withholds something of the content: not for a job, not for captions, not for info.
// Nothing is recognized and nothing is charged.
func TestSilenceOverrulesNoRefusal(t *testing.T) {
	t.Parallel()
	for _, code := range []transcript.Code{transcript.POTokenRequired, transcript.LoginRequired} {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			refused, silent, heard := newPlatforms(t), newPlatforms(t), &script{}
			refused.captions = refusing(code)
			s := dbtest.Open(t, dbtest.SQLite(t))
			b := startLinks(t, s, heard, silent, func(c *service.Config) {
				c.WaitNoLonger()
				c.Engine.Captions = []engine.CaptionSource{refused, silent}
			})
			job := b.send(t, link("v1", "en"))
			require.Equal(t, transcript.JobFailed, job.Status)
			assert.Equal(t, code, job.Error.Code)
			assert.Equal(t, transcript.StageCaptionFetch, job.Stage)

			report, err := b.Ask.Captions(t.Context(), question("en"))
			require.NoError(t, err)
			assert.Equal(t, code, report.TrackMetadataErrorCode)
			assert.Nil(t, report.CaptionAvailable)
			assert.False(t, report.RequiresAsync)

			_, err = b.Ask.Info(t.Context(), question(""))
			require.ErrorIs(t, err, code)

			assert.Zero(t, silent.downloads)
			assert.Zero(t, heard.calls())
			assert.Equal(t, db.Usage{}, usage(t, s, acme))
		})
	}
}

// A source that fails, or that the platform blocks, has learned nothing of the content. It leaves
// the word to the next one, which may prove that there are no captions: no job waits then.
func TestFaultLeavesTheWordToTheNextSource(t *testing.T) {
	t.Parallel()
	for _, code := range []transcript.Code{transcript.UpstreamFailed, transcript.ConfigError, transcript.IPBlocked} {
		failing, proves := newPlatforms(t), newPlatforms(t)
		failing.captions = refusing(code)
		b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), &script{}, proves, func(c *service.Config) {
			c.Engine.Captions = []engine.CaptionSource{failing, proves}
		})
		metadata := b.succeed(t, link("v1", "en")).Result.Transcript.Metadata
		assert.Equal(t, []any{
			passedOver(code, "No."), passedOver(transcript.NoTranscript, "The content has no captions."),
		}, metadata["tried"])
	}
}

// What the platform says of the length is judged at duration_check, and a plan without
// recognition before that.
func TestStageOfARefusalByThePlatformsWord(t *testing.T) {
	t.Parallel()
	const queued, fetch, check = transcript.StageQueued, transcript.StageCaptionFetch, transcript.StageDurationCheck
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		sites := newPlatforms(t)
		sites.metadata.Duration = 121
		b := startLinks(t, s, &script{}, sites)
		for account, test := range map[string]struct {
			plan func(*intake.Submission)
			code transcript.Code
			way  []transcript.Stage
		}{
			"short":   {func(s *intake.Submission) { s.Plan.MaxDuration = time.Minute }, transcript.VideoTooLong, []transcript.Stage{queued, fetch, check, check}},
			"few":     {func(s *intake.Submission) { s.Plan.ASRMinutesPerPeriod = 2 }, transcript.ASRQuotaExceeded, []transcript.Stage{queued, fetch, check, check}},
			"without": {func(s *intake.Submission) { s.Plan.ASR = false }, transcript.NoTranscript, []transcript.Stage{queued, fetch, fetch}},
		} {
			submission := link("v-"+account, "en")
			submission.Account = account
			test.plan(&submission)
			out, err := b.Submit(t.Context(), submission)
			require.NoError(t, err)
			job, err := b.Jobs.Wait(t.Context(), account, out.Job.JobID, nil)
			require.NoError(t, err)
			require.Equal(t, transcript.JobFailed, job.Status)
			assert.Equal(t, test.code, job.Error.Code)
			assert.Equal(t, test.way[len(test.way)-1], job.Stage)
			assert.Equal(t, test.way, b.stages(t, job.JobID))
			assert.Equal(t, db.Usage{}, usage(t, s, account))
		}
		assert.Zero(t, sites.downloads)
	})
}
