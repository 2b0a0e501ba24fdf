package e2e_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/ratio"
	"github.com/transcriptkit/transcriptkit/internal/storetest"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// BenchmarkWrk lets 32 connections of wrk ask for a text of an hour that is there, and
// for the same bytes from a handler that does nothing else. They take turns.
func BenchmarkWrk(b *testing.B) {
	if _, err := exec.LookPath("wrk"); err != nil {
		b.Skip("wrk is not installed: make bench installs it")
	}
	for name, options := range map[string]func(testing.TB) store.Options{"SQLite": storetest.SQLite, "PostgreSQL": storetest.Postgres} {
		if !ratio.Wanted(name) {
			continue
		}
		b.Run(name, func(b *testing.B) {
			o := options(b)
			settings := []servertest.Option{servertest.ConfigureStore(func(at *store.Options) { at.Database = o.Database })}
			if name == "PostgreSQL" { // there one row counts an account's requests, and that would be all that is measured
				settings = append(settings, servertest.OnPlan(account.WithoutLimits("bench")))
			}
			s := servertest.New(b, settings...)
			const videoID = "dQw4w9WgXcQ"
			fillCache(b, s, videoID)
			post := request{http.MethodPost, "/v1/transcript", `{"platform":"video_site","externalId":"` + videoID + `"}`}
			read := request{http.MethodGet, "/v1/library/transcripts/video_site/" + videoID, ""}
			for b.Loop() {
				for _, of := range []struct {
					name string
					request
				}{{"cached POST", post}, {"library read", read}} {
					for _, coding := range []string{"identity", "gzip"} {
						measureWrk(b, s, fmt.Sprintf("%s of 178 KB, %s, %s", of.name, coding, name), name == "SQLite", of.request, coding)
					}
				}
			}
		})
	}
}

// request is what wrk sends.
type request struct{ method, path, body string }

// measureWrk prints a row for the requests a second, and one for the slowest in a
// hundred.
func measureWrk(b *testing.B, s *servertest.Server, name string, goal bool, of request, coding string) {
	header := http.Header{"Authorization": {"Bearer " + s.Key}, "Accept-Encoding": {coding}}
	if of.body != "" {
		header.Set("Content-Type", "application/json")
	}
	first := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(b.Context(), of.method, of.path, strings.NewReader(of.body))
	r.Header = header
	s.Handler().ServeHTTP(first, r)
	require.Equal(b, http.StatusOK, first.Code, first.Body)
	same := first.Body.Bytes()
	bareHandler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { bare(w, same) })
	ours, theirs := listening(b, s.Handler()), listening(b, bareHandler)

	script := filepath.Join(b.TempDir(), "request.lua")
	var lua strings.Builder
	fmt.Fprintf(&lua, "wrk.method = %q\nwrk.body = %q\n", of.method, of.body)
	for key, values := range header {
		fmt.Fprintf(&lua, "wrk.headers[%q] = %q\n", key, values[0])
	}
	require.NoError(b, os.WriteFile(script, []byte(lua.String()), 0o600))
	const rounds = 5
	var rates, slowest []float64
	for range rounds {
		us, them := runWrk(b, ours+of.path, script), runWrk(b, theirs+of.path, script)
		rates = append(rates, us.rate/them.rate)
		slowest = append(slowest, us.p99.Seconds()/them.p99.Seconds())
	}
	rate, p99 := ratio.Row{Name: name + ", requests/s", Ratios: rates}, ratio.Row{Name: name + ", p99", Ratios: slowest}
	if goal {
		rate.AtLeast = 0.4
		if coding == "identity" {
			p99.AtMost = 3
		}
	}
	rate.Report(b)
	p99.Report(b)
}

// listening serves h until the benchmark ends.
func listening(b *testing.B, h http.Handler) (url string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	web := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	go func() { _ = web.Serve(l) }() // returns when it is closed
	b.Cleanup(func() { require.NoError(b, web.Close()) })
	return "http://" + l.Addr().String()
}

type wrkResult struct {
	rate float64
	p99  time.Duration
}

var (
	wrkRate = regexp.MustCompile(`Requests/sec:\s+([\d.]+)`)
	wrkP99  = regexp.MustCompile(`99%\s+([\d.]+[a-z]+)`)
)

func runWrk(b *testing.B, url, script string) wrkResult {
	b.Helper()
	out, err := exec.CommandContext(b.Context(), "wrk", "-t2", "-c32", "-d2s", "--latency", "-s", script, url).CombinedOutput()
	require.NoError(b, err, "%s", out)
	require.NotContains(b, string(out), "Non-2xx")
	rate, err := strconv.ParseFloat(string(wrkRate.FindSubmatch(out)[1]), 64)
	require.NoError(b, err)
	p99, err := time.ParseDuration(string(wrkP99.FindSubmatch(out)[1]))
	require.NoError(b, err)
	return wrkResult{rate, p99}
}
