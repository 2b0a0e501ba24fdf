package e2e_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// teller is a caption source that takes a moment, and tells the id of what it was
// asked for.
type teller struct{}

func (teller) Origin(p transcript.Platform) (transcript.Origin, bool) {
	return transcript.OriginDownloader, p == transcript.VideoSite
}

func (teller) Captions(ctx context.Context, c engine.Content, pick func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	select {
	case <-ctx.Done():
		return engine.Captions{}, context.Cause(ctx)
	case <-time.After(200 * time.Millisecond):
	}
	found := engine.Captions{Tracks: []transcript.Track{{ID: "en", Lang: "en", Kind: transcript.TrackManual}}}
	err := found.Choose(pick, func(int) (caption.File, error) {
		return caption.File{Segments: []transcript.Segment{{Text: c.ExternalID, Duration: 1}}}, nil
	})
	return found, err
}

// balancer sends requests to the processes that say they are ready, in turns.
type balancer struct {
	*httptest.Server
	backends []*backend
	turn     atomic.Uint32
	requests atomic.Int32
	failed   atomic.Int32 // found no process that answers
}

type backend struct {
	proxy *httputil.ReverseProxy
	url   string
	ready atomic.Bool
	asked atomic.Int64 // when the last question began that ready answers, in nanoseconds of Unix
}

// promised reports whether a process that was ready must still serve a request that began at a
// time: for the delay of its drain it serves and says that it goes. A balancer on a busy machine
// may ask too late.
func (b *backend) promised(began time.Time) bool {
	return began.Before(time.Unix(0, b.asked.Load()).Add(childDrain))
}

func newBalancer(t *testing.T, urls ...string) *balancer {
	t.Helper()
	b := new(balancer)
	for _, at := range urls {
		to, err := url.Parse(at)
		require.NoError(t, err)
		back := &backend{url: at}
		proxy := httputil.NewSingleHostReverseProxy(to)
		proxy.FlushInterval = -1 // events go on at once
		proxy.ErrorHandler = func(w http.ResponseWriter, r *http.Request, err error) {
			if began, _ := r.Context().Value(beganKey{}).(time.Time); r.Context().Err() == nil && back.promised(began) {
				b.failed.Add(1)
				t.Logf("%s %s: %v", r.Method, r.URL.Path, err)
			}
			w.WriteHeader(http.StatusBadGateway)
		}
		back.proxy = proxy
		b.backends = append(b.backends, back)
	}
	ctx, stop := context.WithCancel(context.Background())
	var checks sync.WaitGroup
	for _, back := range b.backends {
		checks.Go(func() { back.watch(ctx) })
	}
	b.Server = httptest.NewServer(b)
	t.Cleanup(func() { b.Close(); stop(); checks.Wait() })
	return b
}

// beganKey marks the context of a request with the time when the request began.
type beganKey struct{}

func (b *balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.requests.Add(1)
	r = r.WithContext(context.WithValue(r.Context(), beganKey{}, time.Now()))
	first := int(b.turn.Add(1)) // others take their turns meanwhile
	for n := range b.backends {
		if back := b.backends[(first+n)%len(b.backends)]; back.ready.Load() {
			back.proxy.ServeHTTP(w, r)
			return
		}
	}
	b.failed.Add(1)
	w.WriteHeader(http.StatusBadGateway)
}

// watch asks /readyz again and again.
func (b *backend) watch(ctx context.Context) {
	for {
		ask, cancel := context.WithTimeout(ctx, time.Minute)
		began := time.Now()
		r, _ := http.NewRequestWithContext(ask, http.MethodGet, b.url+"/readyz", nil) // the URL was parsed before
		resp, err := http.DefaultClient.Do(r)
		ready := err == nil && resp.StatusCode == http.StatusOK
		if ready {
			b.asked.Store(began.UnixNano())
		}
		b.ready.Store(ready)
		if err == nil {
			_ = resp.Body.Close() // nothing of it is needed
		}
		cancel()
		select {
		case <-ctx.Done():
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// A rolling restart fails no request that a client may repeat.
func TestRollingRestart(t *testing.T) {
	full(t)
	t.Parallel()
	rollingRestart(t, 1, 100)
}

// TestSoakRollingRestart is TestRollingRestart at its full size.
func TestSoakRollingRestart(t *testing.T) {
	soak(t)
	rollingRestart(t, 6, 2000)
}

// rollingRestart restarts two processes, one after the other, so many times, under
// at least as many requests.
func rollingRestart(t *testing.T, times, requests int) {
	t.Helper()
	s := newPlace(t, storetest.Postgres(t).Database)
	key := s.makeKey(t)
	addrs := []string{freeAddr(t), freeAddr(t)}
	children := []*child{s.spawn(t, addrs[0]), s.spawn(t, addrs[1])}
	b := newBalancer(t, children[0].url, children[1].url)
	ready := func(n int) func() bool { return func() bool { return b.backends[n].ready.Load() } }
	for n := range children {
		require.Eventually(t, ready(n), time.Minute, 10*time.Millisecond)
	}
	over := make(chan struct{})
	var crowd sync.WaitGroup
	for n := range 6 {
		crowd.Go(func() { visit(t, newClient(t, b.URL, key), n, over) })
	}
	reach := func(n int) {
		assert.Eventually(t, func() bool { return int(b.requests.Load()) >= n }, 10*time.Minute, 10*time.Millisecond)
	}
	for round := range times {
		reach(requests * round / times)
		for n, old := range children {
			require.NoError(t, old.cmd.Process.Signal(syscall.SIGTERM))
			require.NoError(t, old.cmd.Wait(), "it ends in good order")
			children[n] = s.spawn(t, addrs[n])
			require.Eventually(t, ready(n), time.Minute, 10*time.Millisecond)
		}
	}
	reach(requests)
	close(over)
	crowd.Wait()
	t.Logf("%d requests, %d restarts", b.requests.Load(), 2*times)
	assert.Zero(t, b.failed.Load(), "a process was gone before it had said so")
}

// visit asks for all kinds of things until over is closed, by the SDK, which
// repeats what may be repeated.
func visit(t *testing.T, c *client.Client, visitor int, over <-chan struct{}) {
	ctx := t.Context()
	for n := 0; ; n++ {
		select {
		case <-over:
			return
		default:
		}
		video := "v" + strconv.Itoa(1_000_000_000+visitor*1_000_000+n)
		link := transcript.Request{Source: transcript.URL("https://youtu.be/" + video)}
		switch n % 5 {
		case 0: // waits, then follows the job's events
			result, err := c.Transcripts.Get(ctx, link)
			if assert.NoError(t, err, "get") {
				assert.Equal(t, video, result.Transcript.Segments[0].Text)
			}
		case 1:
			report, err := c.Transcripts.Captions(ctx, video, nil)
			if assert.NoError(t, err, "captions") {
				assert.Equal(t, "success", report.Status)
			}
		case 2:
			_, err := c.Transcripts.Info(ctx, link.Source)
			assert.NoError(t, err, "info")
		case 3:
			_, job, err := c.Transcripts.Submit(ctx, link)
			if assert.NoError(t, err, "submit") && job != nil {
				_, err = c.Jobs.Get(ctx, job.JobID)
				assert.NoError(t, err, "job")
			}
		case 4:
			if n%20 != 4 {
				continue // recognition takes a second
			}
			var atOnce time.Duration
			path := burstsOf(t, 5*time.Second, uint64(visitor*1_000_000+n))
			_, job, err := c.Transcripts.Submit(ctx, transcript.Request{Source: transcript.File(path), Wait: &atOnce})
			if !assert.NoError(t, err, "upload") {
				continue
			}
			for _, err := range c.Jobs.Events(ctx, job.JobID) {
				assert.NoError(t, err, "events")
			}
			_, err = c.Jobs.Wait(ctx, job.JobID)
			assert.NoError(t, err, "recognition")
		}
	}
}
