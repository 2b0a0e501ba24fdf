package main

import (
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Metrics have a listener of their own, which shows health too, and the API does not
// show them.
func TestServeShowsMetrics(t *testing.T) {
	t.Parallel()
	p := start(t, nil, "--metrics", ":0")
	_, at, found := strings.Cut(p.greeting, `msg="showing metrics" addr=`)
	require.True(t, found, p.greeting)
	at, _, _ = strings.Cut(at, "\n")
	host, _, err := net.SplitHostPort(at)
	require.NoError(t, err)
	assert.Equal(t, "127.0.0.1", host, "without a host it is for this machine alone")

	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+at+"/metrics", nil)
	require.NoError(t, err)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	shown, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, res.StatusCode)
	assert.Contains(t, string(shown), "transcriptkit_build_info{")
	assert.Contains(t, string(shown), "go_goroutines ")

	assert.Equal(t, http.StatusOK, get(t, "http://"+at+"/healthz"))
	assert.Equal(t, http.StatusOK, get(t, "http://"+at+"/readyz"))
	assert.Equal(t, http.StatusNotFound, get(t, "http://"+at+"/v1/transcript"))
	assert.Equal(t, http.StatusNotFound, get(t, "http://"+p.addr+"/metrics"))

	// A port that is taken ends the start.
	code, _, stderr := finish(program(t, nil, "serve", "--listen", "127.0.0.1:0", "--metrics", at))
	assert.Equal(t, exitFailure, code)
	assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	assert.Contains(t, stderr, "--metrics")
	assert.Contains(t, stderr, at)

	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	code, log := p.end(t)
	assert.Equal(t, exitOK, code, log)
	assert.NotContains(t, log, "level=ERROR")
	_, err = http.DefaultClient.Do(req)
	require.Error(t, err, "the listener is closed")
}
