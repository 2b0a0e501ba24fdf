package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The command is healthy as long as the service takes requests, at either of its addresses, which
// the settings of the service name.
func TestHealthcheck(t *testing.T) {
	t.Parallel()
	p := start(t, nil, "--metrics", ":0", "--drain-delay", "1h")
	_, metrics, _ := strings.Cut(p.greeting, `msg="showing metrics" addr=`)
	metrics, _, _ = strings.Cut(metrics, "\n")
	_, port, err := net.SplitHostPort(p.addr)
	require.NoError(t, err)
	for _, env := range [][]string{
		{"TRANSCRIPTD_LISTEN=" + p.addr},
		{"TRANSCRIPTD_LISTEN=:" + port},
		{"TRANSCRIPTD_LISTEN=0.0.0.0:" + port, "http_proxy=http://127.0.0.1:1", "HTTP_PROXY=http://127.0.0.1:1"},
		{"TRANSCRIPTD_LISTEN=127.0.0.1:1", "TRANSCRIPTD_METRICS=" + metrics}, // the metrics are asked first
	} {
		code, stdout, stderr := finish(program(t, env, "healthcheck"))
		assert.Equal(t, exitOK, code, "%v: %s", env, stderr)
		assert.Regexp(t, `\A(ready|degraded)\b[^\n]*\n\z`, stdout, env)
	}

	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	require.Eventually(t, func() bool { return get(t, "http://"+p.addr+"/readyz") == http.StatusServiceUnavailable }, time.Minute, 5*time.Millisecond)
	code, stdout, stderr := finish(program(t, nil, "healthcheck", "--listen", p.addr))
	assert.Equal(t, exitFailure, code)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "transcriptd: --listen: the service is not ready: draining")

	require.NoError(t, p.Process.Signal(os.Interrupt)) // the second signal ends it at once
	_, _ = p.end(t)
	code, _, stderr = finish(program(t, nil, "healthcheck", "--listen", p.addr))
	assert.Equal(t, exitFailure, code)
	assert.Contains(t, stderr, "--listen")
}

// Another program may answer at the address, or a program that is stuck.
func TestHealthcheckOfAnotherProgram(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		says   string
	}{
		"page":     {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>ok</html>")) }, "answers 200 and is not the service"},
		"redirect": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) }, "answers 302 and is not the service"},
		"endless": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = w.Write([]byte("[[[[[[[["))
			}
		}, "is not the service"},
		"silent": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "--listen: it has not answered in time"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := httptest.NewServer(c.answer)
			t.Cleanup(other.Close)
			a := call(t, "healthcheck", "--listen", strings.TrimPrefix(other.URL, "http://"))
			assert.Equal(t, exitFailure, a.code)
			assert.Empty(t, a.stdout)
			assert.Contains(t, a.stderr, c.says)
		})
	}
}

// An address of IPv6 may have a zone.
func TestHealthcheckInAZone(t *testing.T) {
	t.Parallel()
	a := call(t, "healthcheck", "--listen", "[fe80::1%nowhere]:8080")
	assert.Equal(t, exitFailure, a.code)
	assert.Contains(t, a.stderr, "--listen: ")
	assert.NotContains(t, a.stderr, "no code", "the zone is taken for an escape")
}
