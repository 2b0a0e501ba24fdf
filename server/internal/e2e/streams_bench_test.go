package e2e_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/test/ratio"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	idleStreams = 5_000
	idleJobs    = 50 // whose streams these are
	// mostOfIdleStream is the goal for the memory of a stream, as a multiple of a stream that is
	// written by hand.
	mostOfIdleStream = 1.2
)

// BenchmarkIdleStreams compares the memory of event streams of jobs that stand still with that
// of streams that are written by hand. The client holds nothing but numbers of sockets.
func BenchmarkIdleStreams(b *testing.B) {
	row := ratio.Row{Name: fmt.Sprintf("memory of %d idle event streams, of streams by hand", idleStreams), AtMost: mostOfIdleStream,
		Missed: "the middleware and the question to the database grow the stacks of three goroutines a stream, to 33 KB where those by hand have 12 KB"}
	if !ratio.Wanted(row.Name) {
		return
	}
	s := startStreams(b)
	defer s.Engine.Hold()()
	var paths []string
	for n := range idleJobs {
		paths = append(paths, eventsOf(s.submit(b, fmt.Sprint("idle ", n))))
	}
	hand := new(handStreams)
	byHand := listening(b, hand)
	for b.Loop() {
		const rounds = 3
		for range rounds {
			theirs := memoryOfStreams(b, byHand, s.Key, paths)
			ours := memoryOfStreams(b, s.URL, s.Key, paths)
			row.Ratios = append(row.Ratios, ours.sum()/theirs.sum())
			row.Note = fmt.Sprintf("%s of %s a stream", ours, theirs)
		}
		row.Report(b)
	}
}

// streaming is a service whose account may hold any number of streams. The bound of its
// HTTPServer on connections is 2,000, so the http.Server is another one.
type streaming struct {
	*servertest.Server
	*client.Client
}

func startStreams(b *testing.B) streaming {
	b.Helper()
	s := servertest.New(b, servertest.OnPlan(account.WithoutLimits("bench")),
		servertest.Configure(func(c *server.Config) { c.Log = slog.New(slog.DiscardHandler) }))
	c, err := client.New(s.URL, client.WithAPIKey(s.Key))
	require.NoError(b, err)
	return streaming{s, c}
}

// submit hands in a file, and returns the id of its job.
func (s streaming) submit(b *testing.B, content string) (id string) {
	b.Helper()
	var now time.Duration
	media := transcript.Media("talk.wav", int64(len(content)), func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader([]byte(content))), nil
	})
	_, job, err := s.Transcripts.Submit(b.Context(), transcript.Request{Source: media, Wait: &now})
	require.NoError(b, err)
	return job.JobID
}

func eventsOf(job string) (path string) { return "/v1/transcript/job/" + job + "/events" }

// memory is what the process holds for live objects and for stacks, in bytes.
type memory struct{ objects, stacks float64 }

func (m memory) sum() float64 { return m.objects + m.stacks }

func (m memory) String() string {
	return fmt.Sprintf("%.1f KB and stacks of %.1f KB", m.objects/1e3, m.stacks/1e3)
}

// memoryOfStreams opens the streams and returns how much memory this process, which serves
// them, holds for each. Then it closes them.
func memoryOfStreams(b *testing.B, site, key string, paths []string) memory {
	b.Helper()
	goroutines := runtime.NumGoroutine()
	before := held()
	sockets := make([]int, 0, idleStreams)
	for n := range idleStreams {
		sockets = append(sockets, openStream(b, site, key, paths[n%len(paths)]))
	}
	after := held()
	for _, socket := range sockets {
		require.NoError(b, unix.Close(socket))
	}
	// The service works on the jobs too, so that the number is not the same.
	require.Eventually(b, func() bool { return runtime.NumGoroutine() < goroutines+idleStreams/20 }, time.Minute, 10*time.Millisecond, "%d, %d", goroutines, runtime.NumGoroutine())
	return memory{(after.objects - before.objects) / idleStreams, (after.stacks - before.stacks) / idleStreams}
}

func held() memory {
	runtime.GC()
	runtime.GC() // what pools have held survives the first
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(samples)
	return memory{float64(samples[0].Value.Uint64()), float64(samples[1].Value.Uint64())}
}

// openStream asks for a stream on a socket of its own, which costs this process no memory, and
// reads its first bytes.
func openStream(b *testing.B, site, key, path string) (socket int) {
	b.Helper()
	u, err := url.Parse(site)
	require.NoError(b, err)
	to, err := net.ResolveTCPAddr("tcp4", u.Host)
	require.NoError(b, err)
	socket, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	require.NoError(b, err)
	require.NoError(b, unix.Connect(socket, &unix.SockaddrInet4{Port: to.Port, Addr: [4]byte(to.IP.To4())}))
	_, err = unix.Write(socket, fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nAccept: text/event-stream\r\n\r\n", path, u.Host, key))
	require.NoError(b, err)
	require.NoError(b, unix.SetsockoptTimeval(socket, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 30}))
	var seen []byte
	for !bytes.Contains(seen, []byte(": connected")) {
		piece := make([]byte, 1024)
		n, err := unix.Read(socket, piece)
		require.NoError(b, err)
		require.Positive(b, n, "%s", seen)
		seen = append(seen, piece[:n]...)
	}
	return socket
}

// handStreams is an event stream by hand: each stream has a bounded channel, a deadline for each
// write, and a heartbeat.
type handStreams struct {
	event atomic.Pointer[handEvent]
}

// handEvent is what all streams wait for.
type handEvent struct {
	told  chan struct{} // closed when the bytes are there
	bytes []byte
}

func (h *handStreams) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	send := func(b []byte) error {
		if err := control.SetWriteDeadline(time.Now().Add(10 * time.Second)); err != nil {
			return err
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
		return control.Flush()
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	if send([]byte(": connected\n\n")) != nil {
		return // the client is gone
	}
	next := make(chan []byte, 1)
	if event := h.event.Load(); event != nil {
		go func() {
			select {
			case <-event.told:
				next <- event.bytes
			case <-r.Context().Done():
			}
		}()
	}
	beat := time.NewTicker(15 * time.Second)
	defer beat.Stop()
	for {
		select {
		case bytes := <-next:
			_ = send(bytes) // the stream ends in either case
			return
		case <-beat.C:
			if send([]byte(": ping\n\n")) != nil {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}

// begin makes an event for the streams that open from now on, and returns how to send it.
func (h *handStreams) begin(bytes []byte) (send func()) {
	event := &handEvent{told: make(chan struct{}), bytes: bytes}
	h.event.Store(event)
	return func() { close(event.told) }
}

const (
	eventStreams = 500
	// mostOfEvent is the goal for the slowest in a hundred deliveries, as a multiple of those of
	// streams that are written by hand.
	mostOfEvent = 1.5
)

// BenchmarkEventStreams compares how long after the end of a job its streams have told all
// clients so with how long streams by hand take for the same bytes. A job ends when its row
// says so: in whole milliseconds. The benchmark fails if an event is lost.
func BenchmarkEventStreams(b *testing.B) {
	row := ratio.Row{Name: fmt.Sprintf("p99 of an event to %d streams, of streams by hand", eventStreams), AtMost: mostOfEvent,
		Missed: "each stream asks the database for the job, and renders the event, by itself"}
	if !ratio.Wanted(row.Name) {
		return
	}
	s := startStreams(b)
	hand := new(handStreams)
	byHand := listening(b, hand)
	transport := http.DefaultTransport.(*http.Transport).Clone()
	b.Cleanup(transport.CloseIdleConnections)
	watch := watcher{&http.Client{Transport: transport}, s.Key}
	jobs := 0
	for b.Loop() {
		const rounds, events = 3, ratio.MinSamples / eventStreams
		for range rounds {
			var ours, theirs []time.Duration
			for range events {
				jobs++
				release := s.Engine.Hold()
				job := s.submit(b, fmt.Sprint("followed ", jobs))
				require.NoError(b, s.Engine.Await(b.Context(), jobs))
				told, event := watch.all(b, s.URL+eventsOf(job), release)
				ours = append(ours, late(told, endOf(b, event))...)
				send, sent := hand.begin(event), time.Time{}
				told, _ = watch.all(b, byHand+"/", func() {
					sent = time.Now()
					send()
				})
				theirs = append(theirs, late(told, sent)...)
			}
			us, them := p99(ours), p99(theirs)
			row.Ratios = append(row.Ratios, us.Seconds()/them.Seconds())
			row.Samples, row.Note = len(ours), fmt.Sprintf("%v of %v, all delivered", us.Round(time.Millisecond/10), them.Round(time.Millisecond/10))
		}
		row.Report(b)
	}
}

// endOf is the end of a job by its row, which the job's last event brings.
func endOf(b *testing.B, event []byte) time.Time {
	b.Helper()
	_, data, _ := bytes.Cut(event, []byte("data: "))
	var job transcript.Job
	require.NoError(b, json.Unmarshal(data, &job), "%s", event)
	return job.UpdatedAt.Time
}

func late(at []time.Time, since time.Time) (times []time.Duration) {
	for _, t := range at {
		times = append(times, t.Sub(since))
	}
	return times
}

func p99(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)*99/100]
}

// watcher follows streams.
type watcher struct {
	http *http.Client
	key  string
}

// all opens streams, lets the event happen, and returns when each client has read the event,
// and the event.
func (w watcher) all(b *testing.B, url string, happen func()) (at []time.Time, event []byte) {
	b.Helper()
	type end struct {
		at    time.Time
		event []byte
		err   error
	}
	ends, open := make(chan end, eventStreams), make(chan error, eventStreams)
	for range eventStreams {
		go func() {
			at, event, err := w.follow(b.Context(), url, open)
			ends <- end{at, event, err}
		}()
	}
	for range eventStreams {
		require.NoError(b, <-open)
	}
	happen()
	for range eventStreams {
		e := <-ends
		require.NoError(b, e.err)
		at, event = append(at, e.at), e.event
	}
	return at, event
}

// follow reads a stream to its end, and returns when the last event came and the event.
func (w watcher) follow(ctx context.Context, url string, open chan<- error) (at time.Time, event []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		open <- err
		return at, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+w.key)
	resp, err := w.http.Do(r)
	open <- err
	if err != nil {
		return at, nil, err
	}
	defer resp.Body.Close()
	lines := bufio.NewReader(resp.Body)
	for {
		line, err := lines.ReadBytes('\n')
		switch {
		case err == io.EOF && event != nil:
			return at, append(event, '\n'), nil
		case err != nil:
			return at, nil, err
		case bytes.HasPrefix(line, []byte("event: job.completed")):
			event = line
		case event != nil && len(line) > 1:
			at, event = time.Now(), append(event, line...)
		}
	}
}
