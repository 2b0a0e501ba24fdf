package service_test

import (
	"bytes"
	"context"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The measured length rules, whatever a header or a platform claims. What a platform
// says is too long is not downloaded.
func TestLengthOfThePlan(t *testing.T) {
	t.Parallel()
	tooLong := func(duration int) map[string]any {
		return map[string]any{"durationSec": duration, "limitSec": int64(30)}
	}
	usedUp := func(used, needed int64) map[string]any {
		return map[string]any{"used": used, "limit": int64(2), "neededMinutes": needed}
	}
	header := func(d time.Duration) func() (engine.MediaInfo, error) {
		return func() (engine.MediaInfo, error) { return engine.MediaInfo{HasAudio: true, Duration: d}, nil }
	}
	for name, test := range map[string]struct {
		sound   []byte
		header  time.Duration
		jobs    *float64 // what the platform says; nil: it is an upload
		limit   time.Duration
		minutes int64
		code    transcript.Code
		details map[string]any
		loaded  bool
	}{
		"as long as permitted":     {sound: recording(t, 30, 1), header: 30 * time.Second, limit: 30 * time.Second, minutes: 1},
		"too long":                 {sound: recording(t, 65, 1), header: 65 * time.Second, limit: 30 * time.Second, minutes: -1, code: transcript.VideoTooLong, details: tooLong(65)},
		"a header that says less":  {sound: recording(t, 65, 1), header: time.Second, limit: 30 * time.Second, minutes: -1, code: transcript.VideoTooLong, details: tooLong(31)},
		"a header that says more":  {sound: recording(t, 5, 1), header: 11 * time.Hour, limit: 30 * time.Second, minutes: 1},
		"a header of less than no": {sound: recording(t, 5, 1), header: math.MinInt64, limit: 30 * time.Second, minutes: 1},
		"three minutes of two":     {sound: recording(t, 121, 1), limit: -1, minutes: 2, code: transcript.ASRQuotaExceeded, details: usedUp(0, 3)},
		"no minute":                {sound: recording(t, 5, 1), limit: -1, minutes: 0, code: transcript.ASRQuotaExceeded, details: map[string]any{"used": int64(0), "limit": int64(0), "neededMinutes": int64(1)}},
		"a link, too long":         {sound: recording(t, 5, 1), jobs: new(31.0), limit: 30 * time.Second, minutes: -1, code: transcript.VideoTooLong, details: tooLong(31)},
		"a link, of two minutes":   {sound: recording(t, 5, 1), jobs: new(120.01), limit: -1, minutes: 2, code: transcript.ASRQuotaExceeded, details: usedUp(0, 3)},
		"a link that says less":    {sound: recording(t, 65, 1), jobs: new(1.0), limit: 30 * time.Second, minutes: -1, code: transcript.VideoTooLong, details: tooLong(31), loaded: true},
		"a link that says too few": {sound: recording(t, 121, 1), jobs: new(1.0), limit: -1, minutes: 2, code: transcript.ASRQuotaExceeded, details: usedUp(0, 3), loaded: true},
		"a link that says nothing": {sound: recording(t, 65, 1), jobs: new(0.0), limit: 30 * time.Second, minutes: -1, code: transcript.VideoTooLong, details: tooLong(31), loaded: true},
		"a link of NaN":            {sound: recording(t, 5, 1), jobs: new(math.NaN()), limit: 30 * time.Second, minutes: 1, loaded: true},
		"a link of less than no":   {sound: recording(t, 5, 1), jobs: new(-1e300), limit: 30 * time.Second, minutes: 1, loaded: true},
		"a link without end":       {sound: recording(t, 5, 1), jobs: new(math.Inf(1)), limit: 30 * time.Second, minutes: 1, loaded: true},
		"a link of ages":           {sound: recording(t, 5, 1), jobs: new(float64(math.MaxInt32 - 1)), limit: -1, minutes: -1, code: transcript.MediaTooLarge, details: map[string]any{"limitSec": 12 * 3600}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := dbtest.Open(t, dbtest.SQLite(t))
			sites, e := newPlatforms(t), &script{probe: header(test.header)}
			loaded := false
			sites.sound, sites.audio = test.sound, func(context.Context) error { loaded = true; return nil }
			submission := with(link("v1", "asr"), acme, 1, test.minutes)
			b := startLinks(t, s, e, sites)
			submit := b.Submit
			if test.jobs != nil {
				sites.metadata.Duration = *test.jobs
			} else {
				u, err := b.Receive(t.Context(), bytes.NewReader(test.sound), 1<<30)
				require.NoError(t, err)
				submit = u.Commit
			}
			submission.Plan.MaxDuration = test.limit
			if test.minutes == 0 {
				_, err := submit(t.Context(), submission)
				requireUsedUp(t, err, test.code, test.details)
				return
			}
			job := b.sendBy(t, submission, submit)
			assert.Equal(t, test.loaded, loaded, "downloaded")
			if test.code == "" {
				require.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
				assert.Equal(t, db.Usage{Used: db.Allowance{Transcripts: 1, Minutes: 1}}, usage(t, s, acme))
				return
			}
			require.Equal(t, transcript.JobFailed, job.Status)
			require.Equal(t, test.code, job.Error.Code)
			assert.Equal(t, transcript.StageDurationCheck, job.Stage)
			if job.Error.Code.Status() == 402 {
				requireUsedUp(t, fromJSON(t, job.Error), test.code, test.details)
			}
			assert.False(t, *job.Error.Retryable)
			assert.Zero(t, e.calls())
			assert.Equal(t, db.Usage{}, usage(t, s, acme), "nothing was made")
			b.nothingLeft(t)
		})
	}
}

// Jobs with different limits on one sound: each that may not have it ends alone, and
// one that comes while it is decoded for somebody else may have more of it.
func TestLengthOfTheWidestPlan(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		sites, e := newPlatforms(t), &script{}
		sites.metadata.Duration, sites.sound = 0, recording(t, 65, 1)
		probing, go_ := make(chan struct{}), make(chan struct{})
		release := sync.OnceFunc(func() { close(go_) })
		defer release()
		hold := make(chan struct{})
		e.probe = func() (engine.MediaInfo, error) {
			close(probing)
			<-go_
			return engine.MediaInfo{HasAudio: true, Duration: 3 * time.Second}, nil
		}
		e.recognize = func(context.Context, int, engine.Audio, engine.RecognizeOptions) (engine.Recognition, error) {
			<-hold
			return heard("hello"), nil
		}
		b := prepareLinks(t, s, sites, func(c *service.Config) { c.Engine.Media, c.Engine.Recognizer = e, e })
		send := func(account string, limit time.Duration, minutes int64) *view.Job {
			submission := with(link("v1", "asr"), account, 1, minutes)
			submission.Plan.MaxDuration = limit
			out, err := b.Submit(t.Context(), submission)
			require.NoError(t, err)
			return out.Job
		}
		end := func(account string, job *view.Job) *view.Job {
			now, err := b.Jobs.Wait(t.Context(), account, job.JobID, nil)
			require.NoError(t, err)
			return now
		}
		narrow, narrower := send("narrow", 30*time.Second, 10), send("narrower", 10*time.Second, 10)
		b.startOne(t)
		defer release()
		defer sync.OnceFunc(func() { close(hold) })()
		wait(t, probing)
		late, poor := send("late", 2*time.Minute, 2), send("poor", 2*time.Minute, 1)
		release()
		for account, job := range map[string]*view.Job{"narrow": narrow, "narrower": narrower} {
			ended := end(account, job)
			require.Equal(t, transcript.JobFailed, ended.Status)
			assert.Equal(t, transcript.VideoTooLong, ended.Error.Code)
			assert.Equal(t, db.Usage{}, usage(t, s, account))
		}
		ended := end("poor", poor)
		require.Equal(t, transcript.JobFailed, ended.Status)
		assert.Equal(t, transcript.ASRQuotaExceeded, ended.Error.Code)
		require.Eventually(t, func() bool { return e.calls() > 0 }, time.Minute, time.Millisecond)
		assert.Equal(t, db.Usage{Reserved: db.Allowance{Transcripts: 1, Minutes: 2}}, usage(t, s, "late"))
		later := send("later", time.Minute, 10)
		assert.Equal(t, transcript.VideoTooLong, later.Error.Code, "judged on joining, as the length is known")
		later = send("later", 2*time.Minute, 1)
		assert.Equal(t, transcript.ASRQuotaExceeded, later.Error.Code)
		assert.Equal(t, db.Usage{}, usage(t, s, "later"))
		last := send("last", 2*time.Minute, 2)
		assert.Equal(t, db.Usage{Reserved: db.Allowance{Transcripts: 1, Minutes: 2}}, usage(t, s, "last"))
		_, err := b.Cancel(t.Context(), "last", last.JobID, nil)
		require.NoError(t, err)
		assert.Equal(t, db.Usage{}, usage(t, s, "last"), "no chunk was done")
		assert.Equal(t, transcript.JobProcessing, mustJob(t, b, "late", late.JobID).Status, "the work goes on")
	})
}

func mustJob(t *testing.T, b *bench, account, id string) *view.Job {
	t.Helper()
	job, err := b.Jobs.Job(t.Context(), account, id, nil)
	require.NoError(t, err)
	return job
}
