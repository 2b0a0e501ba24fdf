package client_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/test/ratio"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	// mostOfBareCall is the goal for the processor time of a call, as a multiple of the same
	// exchange by net/http alone.
	mostOfBareCall = 1.1
	// mostExtraAllocs is the goal for the allocations of a call beyond those of net/http. A
	// repeating transport alone allocates 5 to 11 times. The other allocations are a bound on the
	// time of each attempt, the call's own policy of repetition, and the whole answer, which an
	// error quotes.
	mostExtraAllocs = 25
	// smallCallMissed is why a call that takes 35 us on both sides costs more than the goal.
	smallCallMissed = "the bound on the time of an attempt, the policy of repetition and their 19 allocations take about 7 us"
)

// BenchmarkCall compares calls of the client with the same exchange by net/http, which reads
// and decodes the same answer. The two take turns over one connection of the loopback each.
// Processor time counts, also the time of the server, which writes ready bytes.
func BenchmarkCall(b *testing.B) {
	if !ratio.Wanted("client call") {
		return
	}
	job, err := json.Marshal(jobBody("processing", "asr_running", 5))
	require.NoError(b, err)
	saved := library.Saved{Transcript: transcript.Transcript{ID: "019321a0-7c11-7c3e-9a55-2f6d1f0c9b11", Platform: transcript.VideoSite, ExternalID: videoID, Lang: "en"}}
	for i := range 1270 {
		saved.Transcript.Segments = append(saved.Transcript.Segments, transcript.Segment{
			Text:  fmt.Sprintf("segment number %d says “some” words & no <tags> of the talk about %x", i, i*7919),
			Start: float64(i) * 2.4, Duration: 2.4,
		})
	}
	text, err := json.Marshal(saved)
	require.NoError(b, err)
	mux := http.NewServeMux()
	mux.Handle("GET /v1/transcript/job/{id}", ready(job))
	mux.Handle("GET /v1/library/transcripts/{platform}/{id}", ready(text))
	site := httptest.NewServer(mux)
	b.Cleanup(site.Close)
	b.Cleanup(http.DefaultClient.CloseIdleConnections)
	c, err := client.New(site.URL, client.WithAPIKey(key))
	require.NoError(b, err)

	for b.Loop() {
		compareCalls(b, fmt.Sprintf("client call for a job of %d B", len(job)), smallCallMissed, 400,
			func() error { _, err := c.Jobs.Get(b.Context(), jobID); return err },
			func() error { return bareCall(b, site.URL+"/v1/transcript/job/"+jobID, new(transcript.Job)) })
		compareCalls(b, fmt.Sprintf("client call for a text of %d KB", len(text)/1000), "", 40,
			func() error {
				_, err := c.Library.Get(b.Context(), library.Key{Platform: transcript.VideoSite, ExternalID: videoID})
				return err
			},
			func() error {
				return bareCall(b, site.URL+"/v1/library/transcripts/video_site/"+videoID, new(library.Saved))
			})
	}
}

// compareCalls prints the rows of a call.
func compareCalls(b *testing.B, name, missed string, calls int, ours, bare func() error) {
	b.Helper()
	const rounds = 21
	cpu := ratio.Row{Name: name + ", CPU of net/http's", AtMost: mostOfBareCall, Missed: missed}
	allocs := ratio.Row{Name: name + ", allocations beyond net/http's", AtMost: mostExtraAllocs}
	for range rounds {
		us, them := costOf(b, calls, ours), costOf(b, calls, bare)
		cpu.Ratios = append(cpu.Ratios, us.cpu/them.cpu)
		allocs.Ratios = append(allocs.Ratios, us.allocs-them.allocs)
		cpu.Note = fmt.Sprintf("%.0f of %.0f us", us.cpu/1e3, them.cpu/1e3)
		allocs.Note = fmt.Sprintf("%.0f and %.0f", us.allocs, them.allocs)
	}
	cpu.Report(b)
	allocs.Report(b)
}

// callCost is what a call costs: nanoseconds of processor time, and allocations.
type callCost struct{ cpu, allocs float64 }

func costOf(b *testing.B, calls int, do func() error) callCost {
	b.Helper()
	used := func() int64 {
		var u unix.Rusage
		require.NoError(b, unix.Getrusage(unix.RUSAGE_SELF, &u))
		return u.Utime.Nano() + u.Stime.Nano()
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := used()
	for range calls {
		require.NoError(b, do())
	}
	took := used() - began
	runtime.ReadMemStats(&after)
	return callCost{float64(took) / float64(calls), float64(after.Mallocs-before.Mallocs) / float64(calls)}
}

// ready answers with bytes that are there.
func ready(body []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body) // a client that is gone fails the benchmark
	})
}

// bareCall asks with net/http, reads the whole answer and decodes it.
func bareCall(b *testing.B, url string, into any) error {
	r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "bare")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body := make([]byte, resp.ContentLength)
	if _, err := io.ReadFull(resp.Body, body); err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}
