package server_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// smallBuffers is a listener whose connections hold little on their way out, so
// that a client that does not read is noticed.
type smallBuffers struct{ net.Listener }

func (l smallBuffers) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return c, c.(*net.TCPConn).SetWriteBuffer(4096)
}

// TestWatchers lets 200 clients (10 with -short) follow one job that makes 2,000 progress
// reports (200). In full size one client never reads, and the job makes reports until the
// service has dropped that client, after 10 s.
func TestWatchers(t *testing.T) {
	t.Parallel()
	watchers, reports := size().watchers, size().reports
	s := start(t, onPlan(func(p *account.Plan) { p.EventStreams, p.ConcurrentRequests = account.Unlimited, account.Unlimited }))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	dropped := make(chan struct{})
	web := s.HTTPServer("")
	handler := web.Handler
	web.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r)
		if r.Header.Get("X-Request-Id") == "stuck" {
			close(dropped)
		}
	})
	go func() { _ = web.Serve(smallBuffers{l}) }() // returns when it is closed
	t.Cleanup(func() { assert.NoError(t, web.Close()) })

	begin := make(chan struct{})
	s.Engine.SetRecognize(func(ctx context.Context, _ int, a engine.Audio, o engine.RecognizeOptions) (engine.Recognition, error) {
		<-begin
		for i := 1; ; i++ {
			interval := time.Millisecond
			if i > reports { // merged ones have not filled what lies before the stuck client: it takes more
				interval = 50 * time.Millisecond
			}
			next := time.NewTimer(interval)
			o.Progress(a.Duration / time.Duration(reports) * time.Duration(min(i, reports)))
			select {
			case <-ctx.Done():
				return engine.Recognition{}, ctx.Err()
			case <-next.C:
			}
			select {
			case <-dropped: // the stuck client goes while the job still runs
				if i >= reports {
					return engine.Recognition{Language: "en"}, nil
				}
			default:
			}
		}
	})
	id := s.job(t, "a file")
	path := "/v1/transcript/job/" + id + "/events"

	if testing.Short() {
		close(dropped)
	} else {
		s.neverRead(t, l, path)
	}

	client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 0}}
	t.Cleanup(client.CloseIdleConnections)
	var all, connected sync.WaitGroup
	seen := make([][]string, watchers-1)
	connected.Add(len(seen))
	for i := range seen {
		all.Go(func() {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+l.Addr().String()+path, nil)
			if !assert.NoError(t, err) {
				return
			}
			r.Header.Set("Authorization", "Bearer "+s.Key)
			resp, err := client.Do(r)
			connected.Done()
			if !assert.NoError(t, err) {
				return
			}
			defer resp.Body.Close()
			lines := bufio.NewScanner(resp.Body)
			lines.Buffer(nil, 1<<20)
			for lines.Scan() {
				if sequence, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
					seen[i] = append(seen[i], sequence)
				}
			}
			assert.NoError(t, lines.Err())
		})
	}
	connected.Wait()
	close(begin)
	all.Wait()

	job := s.ended(t, id)
	require.Equal(t, string(transcript.JobSuccess), job["status"], "%v", job)
	last := fmt.Sprint(job["sequence"])
	for i, sequences := range seen {
		require.NotEmpty(t, sequences, "watcher %d", i)
		assert.Equal(t, last, sequences[len(sequences)-1], "watcher %d did not see the end", i)
		for n := 1; n < len(sequences); n++ {
			var a, b int
			_, err := fmt.Sscan(sequences[n-1], &a)
			require.NoError(t, err)
			_, err = fmt.Sscan(sequences[n], &b)
			require.NoError(t, err)
			assert.Equal(t, a+1, b, "watcher %d missed a transition", i)
		}
	}
}

// neverRead asks for the events of a job and does not read the answer.
func (s *service) neverRead(t *testing.T, l net.Listener, path string) {
	t.Helper()
	stuck, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = stuck.Close() }) // the service has closed it before
	require.NoError(t, stuck.(*net.TCPConn).SetReadBuffer(4096))
	_, err = fmt.Fprintf(stuck, "GET %s HTTP/1.1\r\nHost: x\r\nX-Request-Id: stuck\r\nAuthorization: Bearer %s\r\n\r\n", path, s.Key)
	require.NoError(t, err)
}
