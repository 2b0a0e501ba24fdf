package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// TestCallAllocations compares calls with the same requests by net/http: with the same headers,
// a buffer for the whole answer, and the same decoding.
//
//nolint:paralleltest // allocations of other tests would count
func TestCallAllocations(t *testing.T) {
	long := resultBody()
	segments := make([]object, 30)
	for i := range segments {
		segments[i] = object{"text": "hello there", "start": i, "duration": 1.25}
	}
	long["transcript"].(object)["segments"] = segments
	answers := map[string]any{http.MethodGet: jobBody("pending", "queued", 1), http.MethodPost: long}
	c := served(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-RateLimit-Limit", "120")
		w.Header().Set("X-RateLimit-Remaining", "12")
		w.Header().Set("X-RateLimit-Reset", "1795226640")
		writeJSON(w, http.StatusOK, answers[r.Method])
	})
	address := strings.TrimPrefix(c.String(), "client of ")
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	ask := func(method, path string, sent any, out any) {
		var body io.Reader
		if sent != nil {
			text, err := json.Marshal(sent)
			require.NoError(t, err)
			body = bytes.NewReader(text)
		}
		r, err := http.NewRequestWithContext(t.Context(), method, address+path, body)
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Accept", "application/json")
		r.Header.Set("User-Agent", "transcriptkit-go")
		if sent != nil {
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Idempotency-Key", jobID)
		}
		resp, err := (&http.Client{Transport: transport}).Do(r)
		require.NoError(t, err)
		text, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.NoError(t, json.Unmarshal(text, out))
	}
	const link = "https://video.example/watch?v=1"
	for name, do := range map[string]struct{ call, bare func() }{
		"a job": {
			func() {
				_, err := c.Jobs.Get(t.Context(), jobID)
				require.NoError(t, err)
			},
			func() { ask(http.MethodGet, "/v1/transcript/job/"+jobID, nil, new(transcript.Job)) },
		},
		"a transcript": {
			func() {
				_, _, err := c.Transcripts.Submit(t.Context(), transcript.Request{Source: transcript.URL(link)})
				require.NoError(t, err)
			},
			func() { ask(http.MethodPost, "/v1/transcript", map[string]any{"url": link}, new(transcript.Result)) },
		},
	} {
		const most, runs = 25, 100
		extra := testing.AllocsPerRun(runs, do.call) - testing.AllocsPerRun(runs, do.bare)
		assert.LessOrEqual(t, extra, float64(most), name)
		t.Logf("%s: %.0f more", name, extra)
	}
}

// TestAnswersOfEveryLength, which the service tells or does not tell.
func TestAnswersOfEveryLength(t *testing.T) {
	t.Parallel()
	c := served(t, func(w http.ResponseWriter, r *http.Request) {
		length, err := strconv.Atoi(r.FormValue("length"))
		assert.NoError(t, err)
		text, err := json.Marshal(bytes.Repeat([]byte("x"), length))
		assert.NoError(t, err)
		if r.FormValue("told") == "false" {
			w.(http.Flusher).Flush()
		}
		_, _ = w.Write(text)
	}, client.WithRetry(client.NoRetry))
	for _, told := range []bool{true, false} {
		for _, length := range []int{0, 1, 380, 381, 382, 383, 384, 385, 1000, 1 << 20} {
			var out []byte
			require.NoError(t, c.Do(t.Context(), http.MethodGet, fmt.Sprintf("/v1/x?told=%t&length=%d", told, length), nil, &out))
			assert.Len(t, out, length)
		}
	}
}

// TestLateAnswers: an attempt that takes too long is a timeout, before the answer and within.
func TestLateAnswers(t *testing.T) {
	t.Parallel()
	for _, begin := range []string{"", `{"jobId":`} {
		c := served(t, func(w http.ResponseWriter, r *http.Request) {
			if begin != "" {
				_, _ = io.WriteString(w, begin)
				w.(http.Flusher).Flush()
			}
			<-r.Context().Done()
		}, client.WithRetry(client.NoRetry), client.WithAttemptTimeout(300*time.Millisecond))
		_, err := c.Jobs.Get(t.Context(), jobID)
		require.ErrorContains(t, err, "no whole answer within 300ms", begin)
		require.ErrorIs(t, err, context.DeadlineExceeded, begin)
		var timeout interface{ Timeout() bool }
		require.ErrorAs(t, err, &timeout)
		assert.True(t, timeout.Timeout())
	}
}
