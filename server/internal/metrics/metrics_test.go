package metrics_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func scrape(t testing.TB, m *metrics.Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	assert.Equal(t, http.StatusOK, w.Code)
	return w.Body.String()
}

// Scrapes at the same time share one look, and so do those that follow soon.
func TestScrapesShareALook(t *testing.T) {
	t.Parallel()
	m := metrics.New("test")
	var looks atomic.Int32
	looking, proceed := make(chan struct{}, 1), make(chan struct{})
	m.WatchMachine(func() map[string]int64 {
		looks.Add(1)
		looking <- struct{}{}
		<-proceed
		return map[string]int64{"blobs": 7}
	}, func() map[metrics.Visited]bool { return nil })
	var scrapes sync.WaitGroup
	for range 50 {
		scrapes.Go(func() { scrape(t, m) })
	}
	<-looking
	close(proceed)
	scrapes.Wait()
	assert.Contains(t, scrape(t, m), `transcriptkit_disk_free_bytes{folder="blobs"} 7`)
	assert.Equal(t, int32(1), looks.Load())
}

// A disk that hangs holds up no scrape, and is asked once.
func TestScrapeDoesNotWaitForADiskThatHangs(t *testing.T) {
	t.Parallel()
	m := metrics.New("test")
	var looks atomic.Int32
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	m.WatchMachine(func() map[string]int64 {
		looks.Add(1)
		<-hang
		return nil
	}, func() map[metrics.Visited]bool { return nil })
	m.Route("/v1/x").Answered(http.MethodGet, http.StatusOK, time.Second)
	for range 2 {
		text := scrape(t, m) // would not end if it waited
		assert.Contains(t, text, `transcriptkit_http_requests_total{method="GET",route="/v1/x",status="200"} 1`)
		assert.NotContains(t, text, "transcriptkit_disk_free_bytes{")
	}
	assert.Equal(t, int32(1), looks.Load())
}

// However many methods, statuses and codes there are, what callers and engines choose
// makes no series.
func TestLabelsAreBounded(t *testing.T) {
	t.Parallel()
	m := metrics.New("test")
	for i := range 1000 {
		m.Route("/v1/x").Answered("BREW"+strconv.Itoa(i), http.StatusMethodNotAllowed, 0)
		m.Refused(transcript.Code("CODE_" + strconv.Itoa(i)))
		m.JobEnded(transcript.JobFailed, transcript.Code("CODE_"+strconv.Itoa(i)), 0)
		m.JobAccepted(transcript.Platform("platform" + strconv.Itoa(i)))
	}
	text := scrape(t, m)
	for _, series := range []string{
		`transcriptkit_http_requests_total{method="other",route="/v1/x",status="405"} 1000`,
		`transcriptkit_http_refusals_total{code="other"} 1000`,
		`transcriptkit_jobs_ended_total{code="other",status="failed"} 1000`,
	} {
		assert.Contains(t, text, series)
	}
	for _, part := range []string{"BREW", "CODE_", "platform1"} {
		assert.NotContains(t, text, part)
	}
}

// Not parallel, as AllocsPerRun wants it.
func TestCountingARequestAllocatesNothing(t *testing.T) {
	route := metrics.New("test").Route("/v1/transcript/job/{id}")
	allocs := testing.AllocsPerRun(1000, func() { route.Answered(http.MethodGet, http.StatusNotFound, time.Millisecond) })
	require.Zero(t, allocs)
}

func BenchmarkAnswered(b *testing.B) {
	route := metrics.New("test").Route("/v1/transcript/job/{id}")
	b.ReportAllocs()
	for b.Loop() {
		route.Answered(http.MethodGet, http.StatusOK, time.Millisecond)
	}
}

// An engine of an embedder's own may be called anything, and clocks are set.
func TestRecognizedByAnything(t *testing.T) {
	t.Parallel()
	m := metrics.New("test")
	for _, engine := range []string{"", "a\xffb", "new\nline", "other"} {
		m.Recognized(engine, time.Second, time.Second)
		m.Recognized(engine, -time.Second, -time.Second)
	}
	text := scrape(t, m)
	assert.Contains(t, text, `transcriptkit_asr_audio_seconds_total{engine="a�b"} 1`)
	assert.Contains(t, text, `transcriptkit_asr_work_seconds_total{engine="other"} 1`)
}
