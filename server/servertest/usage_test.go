package servertest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
)

// TestServiceTellsBothWindows: the client reads what the service writes.
func TestServiceTellsBothWindows(t *testing.T) {
	t.Parallel()
	c, _ := live(t)
	var resp client.Response
	_, err := c.Usage.Get(t.Context(), client.WithResponse(&resp))
	require.NoError(t, err)
	first := resp.RateLimit
	_, err = c.Jobs.Get(t.Context(), jobID, client.WithResponse(&resp))
	require.Error(t, err)
	second := resp.RateLimit
	for _, l := range []client.RateLimit{first, second} {
		assert.Equal(t, 5*l.Requests.Limit, l.Polling.Limit)
		assert.Positive(t, l.Requests.Limit)
		assert.WithinDuration(t, l.Reset, l.Polling.Reset, time.Minute)
		assert.Equal(t, l.Requests.Reset, l.Polling.Reset)
	}
	assert.Equal(t, first.Limit, first.Requests.Limit)
	assert.Equal(t, first.Remaining, first.Requests.Remaining)
	assert.Equal(t, second.Limit, second.Polling.Limit)
	assert.Equal(t, second.Remaining, second.Polling.Remaining)
}
