package client_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
)

// Every pause before another attempt is reported as long as it lasts, and nothing else.
func TestRetryNotify(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, mt := mocked(t)
		var told time.Duration
		var reasons []string
		notify := client.WithRetryNotify(func(err error, pause time.Duration) {
			reasons = append(reasons, err.Error())
			told += pause
		})
		began := time.Now()
		mt.RegisterResponder("GET", base+"/v1/x", script(nil, step{}, step{status: 502}, step{status: 200, body: object{}}))
		require.NoError(t, c.Do(t.Context(), http.MethodGet, "/v1/x", nil, nil, notify))
		require.Len(t, reasons, 2)
		assert.Contains(t, reasons[0], "connection reset")
		assert.Contains(t, reasons[1], "502")
		assert.Equal(t, time.Since(began), told)

		reasons = nil
		mt.RegisterResponder("GET", base+"/v1/x", script(nil, step{status: 404}))
		require.Error(t, c.Do(t.Context(), http.MethodGet, "/v1/x", nil, nil, notify))
		assert.Empty(t, reasons, "it is returned")

		mt.RegisterResponder("GET", base+"/v1/x", script(nil, step{status: 502}))
		require.Error(t, c.Do(t.Context(), http.MethodGet, "/v1/x", nil, nil, notify))
		assert.Len(t, reasons, 3, "the last of four is returned too")
	})
}

func TestRetryNotifyOfEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, mt := mocked(t)
		var reasons []string
		bodies := []string{
			snapshot(2, "asr_running"), // and breaks off
			block(0, "stream.closing", object{"reason": "shutdown", "retryMs": 2000}),
			completed(3),
		}
		calls := 0
		mt.RegisterResponder("GET", jobURL+"/events", func(*http.Request) (*http.Response, error) {
			calls++
			resp := httpmock.NewStringResponse(200, bodies[min(calls, len(bodies))-1])
			resp.Header.Set("Content-Type", "text/event-stream")
			return resp, nil
		})
		_, err := watch(t.Context(), c, client.WithRetryNotify(func(err error, pause time.Duration) {
			assert.Positive(t, pause)
			reasons = append(reasons, err.Error())
		}))
		require.NoError(t, err)
		require.Len(t, reasons, 1, "an end in good order is none")
		assert.Contains(t, reasons[0], "EOF")
	})
}
