package e2e_test

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/ratio"
)

// wrkRun is what one run of wrk has seen, and what the run has cost this process, which serves.
// wrk and PostgreSQL are other processes.
type wrkRun struct {
	rate     float64 // requests a second
	p99      time.Duration
	requests int
	cpu      float64 // nanoseconds a request
	allocs   float64 // a request
}

var (
	wrkRate     = regexp.MustCompile(`Requests/sec:\s+([\d.]+)`)
	wrkP99      = regexp.MustCompile(`99%\s+([\d.]+[a-z]+)`)
	wrkRequests = regexp.MustCompile(`(\d+) requests in`)
)

// runWrk lets 32 connections send a request again and again. A run that makes too few
// requests for its 99th percentile is made again, for twice the time.
func runWrk(b *testing.B, url, script string) (r wrkRun) {
	b.Helper()
	for seconds := 2; seconds <= 16; seconds *= 2 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := processorTime(b)
		out, err := exec.CommandContext(b.Context(), "wrk", "-t1", "-c32", fmt.Sprintf("-d%ds", seconds), "--timeout", "10s", "--latency", "-s", script, url).CombinedOutput()
		used := processorTime(b) - began
		runtime.ReadMemStats(&after)
		require.NoError(b, err, "%s", out)
		require.NotContains(b, string(out), "Non-2xx")
		require.NotContains(b, string(out), "Socket errors")
		number := func(of *regexp.Regexp) string {
			found := of.FindSubmatch(out)
			require.NotNil(b, found, "%s", out)
			return string(found[1])
		}
		r.requests, err = strconv.Atoi(number(wrkRequests))
		require.NoError(b, err)
		require.NotZero(b, r.requests, "%s", out)
		r.rate, err = strconv.ParseFloat(number(wrkRate), 64)
		require.NoError(b, err)
		r.p99, err = time.ParseDuration(number(wrkP99))
		require.NoError(b, err)
		r.cpu = float64(used) / float64(r.requests)
		r.allocs = float64(after.Mallocs-before.Mallocs) / float64(r.requests)
		if r.requests >= ratio.MinSamples {
			break
		}
	}
	return r
}

// request is what wrk sends.
type request struct {
	method, path string
	header       http.Header
	bodies       []string // in turn
	newKeys      bool     // a new idempotency key for each request
}

// with is the request with another header.
func (r request) with(name, value string) request {
	r.header = r.header.Clone()
	r.header.Set(name, value)
	return r
}

// withoutKey is a request of a caller without the SDK.
func (r request) withoutKey() request {
	r.header, r.newKeys = r.header.Clone(), false
	r.header.Del("Idempotency-Key")
	return r
}

// script is the request as a script of wrk.
func (r request) script(b *testing.B) (path string) {
	b.Helper()
	var lua strings.Builder
	fmt.Fprintf(&lua, "wrk.method = %q\n", r.method)
	for _, key := range slices.Sorted(maps.Keys(r.header)) {
		fmt.Fprintf(&lua, "wrk.headers[%q] = %s\n", key, quoted(r.header.Get(key)))
	}
	if len(r.bodies) > 0 {
		fmt.Fprint(&lua, "local bodies = {}\n")
		for i, body := range r.bodies {
			fmt.Fprintf(&lua, "bodies[%d] = %s\n", i, quoted(body))
		}
		fmt.Fprint(&lua, "wrk.body = bodies[0]\n")
	}
	if r.newKeys || len(r.bodies) > 1 {
		fmt.Fprint(&lua, "local sent, salt = 0, tostring({}):sub(10) .. os.time() .. os.clock()\nfunction request()\n  sent = sent + 1\n")
		if r.newKeys {
			fmt.Fprint(&lua, "  wrk.headers[\"Idempotency-Key\"] = salt .. \"-\" .. sent\n")
		}
		fmt.Fprintf(&lua, "  return wrk.format(nil, nil, nil, bodies[sent %% %d])\nend\n", len(r.bodies))
	}
	path = filepath.Join(b.TempDir(), "request.lua")
	require.NoError(b, os.WriteFile(path, []byte(lua.String()), 0o600))
	return path
}

// quoted is a string of Lua. In long brackets, Lua reads CRLF as one newline.
func quoted(s string) string {
	return "[==[" + strings.ReplaceAll(s, "\r\n", `]==] .. "\r\n" .. [==[`) + "]==]"
}

// bare writes the same bytes with the status 200, and does nothing else.
func bare(body []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write(body) // a discarder takes everything
	})
}

// bareNotModified answers 304 and does nothing else.
func bareNotModified(etag string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", etag)
		w.WriteHeader(http.StatusNotModified)
	})
}
