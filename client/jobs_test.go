package client_test

import (
	"net/http"
	"testing"

	"github.com/jarcoal/httpmock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
)

const jobURL = base + "/v1/transcript/job/" + jobID

func TestJobsGet(t *testing.T) {
	t.Parallel()
	c, mt := mocked(t)
	mt.RegisterResponder(http.MethodGet, jobURL, httpmock.NewJsonResponderOrPanic(http.StatusOK,
		jobBody("processing", "asr_running", 6, object{"progress": object{"fraction": 0.42, "processedSec": 756.0, "totalSec": 1800.0}})))
	job, err := c.Jobs.Get(t.Context(), jobID)
	require.NoError(t, err)
	assert.Equal(t, transcript.StageASRRunning, job.Stage)
	assert.Equal(t, 6, job.Sequence)
	assert.InDelta(t, 0.42, job.Progress.Fraction, 1e-9)
}

func TestJobIDs(t *testing.T) {
	t.Parallel()
	c, mt := mocked(t)
	for _, id := range []string{"", ".", ".."} {
		_, err := c.Jobs.Get(t.Context(), id)
		require.Error(t, err, "%q", id)
		_, err = c.Jobs.Cancel(t.Context(), id)
		require.Error(t, err, "%q", id)
		_, err = c.Jobs.Wait(t.Context(), id)
		require.Error(t, err, "%q", id)
	}
	assert.Zero(t, mt.GetTotalCallCount(), "refused before any request")

	mt.RegisterResponder(http.MethodGet, "=~.*", func(r *http.Request) (*http.Response, error) {
		assert.Equal(t, "/v1/transcript/job/a%2Fb%3Fc%20%C3%BC", r.URL.EscapedPath())
		return httpmock.NewJsonResponse(http.StatusOK, jobBody("pending", "queued", 1))
	})
	_, err := c.Jobs.Get(t.Context(), "a/b?c ü")
	require.NoError(t, err)
}
