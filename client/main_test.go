package client_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/transcriptkit/transcriptkit/client"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(withExamples{m}) }

const (
	base  = "http://service.test"
	key   = "tr_9fK2mQ7a_secret"
	jobID = "019321a0-7c11-7c3e-9a55-2f6d1f0c9b11"
)

// quick repeats without noticeable pauses.
var quick = client.RetryPolicy{Attempts: 4, MinWait: time.Millisecond, MaxWait: 5 * time.Second}

// mocked is a client on a mock transport of its own, of a service that has no events
// unless the test says so.
func mocked(t *testing.T, opts ...client.Option) (*client.Client, *httpmock.MockTransport) {
	t.Helper()
	mt := httpmock.NewMockTransport()
	mt.RegisterNoResponder(func(r *http.Request) (*http.Response, error) {
		if strings.HasSuffix(r.URL.Path, "/events") {
			return httpmock.NewStringResponse(http.StatusNotFound, ""), nil
		}
		return httpmock.ConnectionFailure(r)
	})
	c, err := client.New(base, append([]client.Option{
		client.WithHTTPClient(&http.Client{Transport: mt}),
		client.WithAPIKey(key),
		client.WithRetry(quick),
	}, opts...)...)
	require.NoError(t, err)
	return c, mt
}

// served is a client for a real server, whose connections end with the test.
func served(t testing.TB, h http.HandlerFunc, opts ...client.Option) *client.Client {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	transport := srv.Client().Transport.(*http.Transport).Clone()
	transport.ExpectContinueTimeout = time.Second
	t.Cleanup(transport.CloseIdleConnections)
	c, err := client.New(srv.URL, append([]client.Option{
		client.WithHTTPClient(&http.Client{Transport: transport}),
		client.WithAPIKey(key),
		client.WithRetry(quick),
	}, opts...)...)
	require.NoError(t, err)
	return c
}

type object = map[string]any

func jobBody(status, stage string, sequence int, more ...object) object {
	body := object{
		"jobId": jobID, "status": status, "stage": stage, "sequence": sequence, "attempt": 1,
		"createdAt": "2026-11-21T02:03:34.123Z", "updatedAt": "2026-11-21T02:04:10.001Z",
	}
	for _, m := range more {
		for k, v := range m {
			body[k] = v
		}
	}
	return body
}

func resultBody() object {
	return object{
		"status": "success", "format": "json", "cached": false, "language": "en",
		"metadataStatus": "partial", "lengthSeconds": 2, "lengthText": "0:02", "metadata": nil,
		"transcript": object{
			"id": "019321a0-7c11-7c3e-9a55-2f6d1f0c9b12", "platform": "upload", "externalId": "abc",
			"lang": "en", "source": "asr", "status": "ready",
			"segments":  []object{{"text": "hello there", "start": 0.5, "duration": 1.25}},
			"createdAt": "2026-11-21T02:03:34.123Z", "updatedAt": "2026-11-21T02:04:10.001Z",
		},
	}
}

func doneBody(sequence int) object {
	body := resultBody()
	for k, v := range jobBody("success", "done", sequence) {
		body[k] = v
	}
	body["transcriptRef"] = "019321a0-7c11-7c3e-9a55-2f6d1f0c9b12"
	return body
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		panic(err)
	}
}
