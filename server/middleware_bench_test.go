package server_test

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/transcriptkit/transcriptkit/internal/test/ratio"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// mostOfBare is the goal for what stands before a handler, as a multiple of a
// handler that nothing stands before.
const mostOfBare = 1.4

// BenchmarkMiddleware compares a small authenticated call, whose handler writes a
// few bytes, with a web server that writes the same bytes and does nothing else, and
// with one whose answer has the same headers too: what is between those two is the
// price of headers, most of which the client pays. They take turns, over one
// connection of the loopback each; processor time counts, of the client too.
// (x-itself) is the bare server against itself: what the noise is.
func BenchmarkMiddleware(b *testing.B) {
	if !ratio.Wanted("CPU of a small call") {
		return
	}
	b.Run("sqlite", func(b *testing.B) { benchmarkMiddleware(b, storetest.SQLite(b), "") })
	b.Run("postgres", func(b *testing.B) {
		benchmarkMiddleware(b, storetest.Postgres(b), "one client waits for the rate window of each call, which is a statement of its own to PostgreSQL")
	})
}

func benchmarkMiddleware(b *testing.B, o store.Options, missed string) {
	s := servertest.New(b, servertest.ConfigureStore(func(at *store.Options) { at.Database = o.Database }),
		servertest.Configure(func(c *server.Config) { c.Log = slog.New(slog.NewTextHandler(io.Discard, nil)) })) //nolint:sloglint // lines cost what they cost, but for their reader
	answer := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"status":"processing","stage":"asr_running"}`) // a client that is gone fails the benchmark
	}
	bare := serveHandler(b, http.HandlerFunc(answer))
	whole := serveHandler(b, server.Small(s.Server, answer))
	call := caller(b, s.Key)
	same := call(whole)
	dressed := serveHandler(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, values := range same {
			if name != "Date" && name != "Content-Length" { // which net/http writes
				w.Header().Set(name, values[0])
			}
		}
		answer(w, r)
	}))
	contestants := []string{bare, dressed, whole, bare}
	for b.Loop() {
		const rounds, requests = 41, 250
		times := make([][]float64, len(contestants))
		for range rounds {
			for i, url := range contestants {
				began := processorTime(b)
				for range requests {
					call(url)
				}
				times[i] = append(times[i], float64(processorTime(b)-began)/requests)
			}
		}
		alone, headers, with, again := median(times[0]), median(times[1]), median(times[2]), median(times[3])
		row := ratio.Row{Name: "CPU of a small call, of a bare server's, " + strings.TrimPrefix(b.Name(), "BenchmarkMiddleware/"), AtMost: mostOfBare, Missed: missed}
		for i := range rounds {
			row.Ratios = append(row.Ratios, times[2][i]/times[0][i])
		}
		row.Report(b)
		b.ReportMetric(with/alone, "x-bare")
		b.ReportMetric(with/headers, "x-same-headers")
		b.ReportMetric(again/alone, "x-itself")
		b.Logf("bare %v, with the same headers %v, with all that stands before it %v: %.2f and %.2f times (goal: at most %.1f)",
			time.Duration(alone), time.Duration(headers), time.Duration(with), with/alone, with/headers, mostOfBare)
	}
}

// serveHandler serves h until the benchmark ends.
func serveHandler(b *testing.B, h http.Handler) (url string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	web := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	go func() { _ = web.Serve(l) }() // returns when it is closed
	b.Cleanup(func() { require.NoError(b, web.Close()) })
	return "http://" + l.Addr().String() + server.SmallPath
}

// caller makes a client that expects a 200.
func caller(b *testing.B, key string) func(url string) http.Header {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	b.Cleanup(transport.CloseIdleConnections)
	web, bearer := &http.Client{Transport: transport}, []string{"Bearer " + key}
	return func(url string) http.Header {
		r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, url, nil)
		if err != nil {
			b.Fatal(err)
		}
		r.Header["Authorization"] = bearer
		resp, err := web.Do(r)
		if err != nil {
			b.Fatal(err)
		}
		if _, err = io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
			b.Fatal(resp.Status, err)
		}
		_ = resp.Body.Close() // it has been read
		return resp.Header
	}
}

// processorTime is what this process has used, in nanoseconds.
func processorTime(b *testing.B) int64 {
	var used unix.Rusage
	require.NoError(b, unix.Getrusage(unix.RUSAGE_SELF, &used))
	return used.Utime.Nano() + used.Stime.Nano()
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
