package client_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const jobURL = base + "/v1/transcript/job/" + jobID

// A job outlives its transcript.
func TestJobOfADeletedTranscript(t *testing.T) {
	t.Parallel()
	c, mt := mocked(t)
	mt.RegisterResponder(http.MethodGet, jobURL, httpmock.NewJsonResponderOrPanic(http.StatusOK,
		jobBody("success", "done", 7, object{"format": "json", "cached": false, "language": "en"})))
	job, err := c.Jobs.Get(t.Context(), jobID)
	require.NoError(t, err)
	assert.Equal(t, transcript.JobSuccess, job.Status)
	assert.Nil(t, job.Result)
}

func TestWait(t *testing.T) {
	t.Parallel()
	running := func(sequence int) step {
		return step{status: 200, body: jobBody("processing", "asr_running", sequence)}
	}
	hinted := func(s step, after string) step { s.after = after; return s }
	done := step{status: 200, body: doneBody(9)}
	failed := step{status: 200, body: jobBody("failed", "duration_check", 4, object{"error": object{"code": "VIDEO_TOO_LONG", "message": "m"}})}
	for name, tc := range map[string]struct {
		steps []step
		opts  []client.RequestOption
		calls int
		atMax time.Duration // the whole wait, on the test's clock
		check func(*testing.T, *transcript.Result, error)
	}{
		"at once":                {[]step{done}, nil, 1, 0, nil},
		"after a while":          {[]step{running(2), running(3), running(4), done}, nil, 4, 3 * time.Second, nil},
		"no earlier than asked":  {[]step{hinted(running(2), "5"), hinted(running(2), "5"), done}, nil, 3, 15 * time.Second, nil},
		"no later than a minute": {[]step{hinted(running(2), "86400"), done}, nil, 2, time.Minute, nil},
		"broken for a moment":    {[]step{running(2), {}, {}, {}, {}, {}, running(3), done}, nil, 8, time.Minute, nil},
		"refused for a moment":   {[]step{running(2), {status: 429, after: "20"}, done}, nil, 3, 23 * time.Second, nil},
		"failed": {[]step{running(2), failed}, nil, 2, time.Second, func(t *testing.T, _ *transcript.Result, err error) {
			var e *client.JobError
			require.ErrorAs(t, err, &e)
			assert.Equal(t, transcript.StageDurationCheck, e.Job.Stage)
			require.ErrorIs(t, err, transcript.VideoTooLong)
		}},
		"cancelled": {[]step{{status: 200, body: jobBody("cancelled", "queued", 2)}}, nil, 1, 0, func(t *testing.T, _ *transcript.Result, err error) {
			var e *client.JobError
			require.ErrorAs(t, err, &e)
			assert.Equal(t, transcript.JobCancelled, e.Job.Status)
		}},
		"gone": {[]step{running(3), {status: 404, body: object{"error": object{"code": "NOT_FOUND", "message": "m"}}}}, nil, 2, time.Second,
			func(t *testing.T, _ *transcript.Result, err error) {
				require.ErrorIs(t, err, transcript.NotFound)
				var e *client.WaitError
				require.ErrorAs(t, err, &e)
				assert.Equal(t, 3, e.Job.Sequence, "the last state seen")
				assert.Equal(t, jobID, e.Job.JobID)
			}},
		"broken for good": {[]step{running(2), {}}, []client.RequestOption{client.WithRetry(client.NoRetry)}, 1 + 5, time.Minute,
			func(t *testing.T, _ *transcript.Result, err error) {
				require.ErrorIs(t, err, errBroken)
				var e *client.WaitError
				require.ErrorAs(t, err, &e)
			}},
		"broken now and then": {[]step{running(2), {}, {}, {}, {}, running(3), {}, {}, {}, {}, done},
			[]client.RequestOption{client.WithRetry(client.NoRetry)}, 11, time.Minute, nil},
		"soon, while it moves": {[]step{running(2), running(3), running(4), running(5), running(6), running(7), running(8), running(9), done},
			nil, 9, 8 * 750 * time.Millisecond, nil},
		"a state of a later version": {[]step{{status: 200, body: jobBody("dancing", "ballroom", 2)}, done}, nil, 2, time.Second, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, mt := mocked(t)
				var at []time.Time
				mt.RegisterResponder("GET", jobURL, script(&at, tc.steps...))
				began := time.Now()
				result, err := c.Jobs.Wait(t.Context(), jobID, tc.opts...)
				assert.LessOrEqual(t, time.Since(began), tc.atMax)
				assert.Len(t, at, tc.calls)
				for i, s := range tc.steps[:min(len(at), len(tc.steps))-1] {
					if s.after == "5" {
						assert.GreaterOrEqual(t, at[i+1].Sub(at[i]), 5*time.Second)
					}
				}
				if tc.check != nil {
					assert.Nil(t, result)
					tc.check(t, result, err)
					return
				}
				require.NoError(t, err)
				require.NotNil(t, result)
				assert.Equal(t, "hello there", result.Transcript.Segments[0].Text)
			})
		})
	}
}

// TestWaitLimitedByContext: nothing but ctx limits a wait, and what was seen last
// is not lost.
func TestWaitLimitedByContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, mt := mocked(t)
		mt.RegisterResponder("GET", jobURL, script(nil, step{status: 200, body: jobBody("processing", "asr_running", 6)}))
		errLate := errors.New("the meeting begins")
		ctx, cancel := context.WithTimeoutCause(t.Context(), 2*time.Hour, errLate)
		defer cancel()
		began := time.Now()
		result, err := c.Jobs.Wait(ctx, jobID)
		assert.Nil(t, result)
		assert.Equal(t, 2*time.Hour, time.Since(began))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, err, errLate)
		var e *client.WaitError
		require.ErrorAs(t, err, &e)
		assert.Equal(t, transcript.StageASRRunning, e.Job.Stage)
		assert.ErrorContains(t, err, jobID)
	})
}

func TestGetWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, mt := mocked(t)
		mt.RegisterResponder("POST", base+"/v1/transcript", httpmock.NewJsonResponderOrPanic(202, jobBody("pending", "queued", 1)))
		mt.RegisterResponder("GET", jobURL, script(nil,
			step{status: 200, body: jobBody("processing", "asr_running", 6)}, step{status: 200, body: doneBody(9)}))
		result, err := c.Transcripts.Get(t.Context(), transcript.Request{Source: transcript.URL("https://video.example/1")})
		require.NoError(t, err)
		assert.Equal(t, "hello there", result.Transcript.Segments[0].Text)
	})
}

// TestWaitNotPastTheDeadline: a refusal that cannot be waited out is said at once.
func TestWaitNotPastTheDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, mt := mocked(t)
		mt.RegisterResponder("GET", jobURL, script(nil, step{status: 429, after: "20", body: object{"error": "rate_limited"}}))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		began := time.Now()
		_, err := c.Jobs.Wait(ctx, jobID)
		assert.Zero(t, time.Since(began))
		require.ErrorIs(t, err, transcript.RateLimited)
		require.NotErrorIs(t, err, context.DeadlineExceeded)
		var e *client.WaitError
		require.ErrorAs(t, err, &e)
		assert.ErrorContains(t, err, "waiting for job "+jobID)
	})
}
