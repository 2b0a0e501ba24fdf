package servertest_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/server/store/s3store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// cutLine makes connections each of which breaks after so many bytes were sent. sent counts the
// bytes of all connections.
func cutLine(t *testing.T, every int64, sent *atomic.Int64) client.Option {
	t.Helper()
	transport := &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, addr)
		return &cutConn{Conn: conn, left: every, sent: sent}, err
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return client.WithHTTPClient(&http.Client{Transport: transport})
}

type cutConn struct {
	net.Conn
	left int64
	sent *atomic.Int64
}

func (c *cutConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b[:min(int64(len(b)), c.left)])
	c.left -= int64(n)
	c.sent.Add(int64(n))
	if c.left == 0 && err == nil {
		_ = c.Close() // the line is cut
		return n, net.ErrClosed
	}
	return n, err
}

// uploadID is the id that the service gives to a file.
func uploadID(content []byte) string { return fmt.Sprintf("%x", sha256.Sum256(content))[:32] }

// steady pauses long enough that a service has read what a broken connection has brought.
var steady = client.RetryPolicy{Attempts: 2, MinWait: 500 * time.Millisecond, MaxWait: 30 * time.Second}

// TestServiceOverACutLine: a file arrives over a line that is cut again and again.
func TestServiceOverACutLine(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]func(testing.TB) store.Options{
		"folder": storetest.SQLite,
		"bucket": func(t testing.TB) store.Options {
			o := storetest.Postgres(t)
			o.Blobs, o.OpenBucket = storetest.S3(t), s3store.Open
			return o
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options(t)
			s := servertest.New(t, servertest.ConfigureStore(func(c *store.Options) { *c = o }))
			s.Engine.Say("four score")
			var sent atomic.Int64
			c, err := client.New(s.URL, client.WithAPIKey(s.Key), client.WithRetry(steady), cutLine(t, 5<<20, &sent))
			require.NoError(t, err)
			m := &media{content: large()}
			var resp client.Response
			result, err := c.Transcripts.Get(t.Context(), transcript.Request{Source: m.source(int64(len(m.content)))}, client.WithResponse(&resp))
			require.NoError(t, err)
			assert.Equal(t, "four score", result.Transcript.Segments[0].Text)
			assert.Equal(t, uploadID(m.content), result.Transcript.ExternalID, "the same SHA-256")
			times := float64(sent.Load()) / float64(len(m.content))
			t.Logf("%.4f times the bytes", times)
			assert.Less(t, times, 1.5)
			assert.Equal(t, 1, s.Engine.Recognitions())
		})
	}
}

// TestServiceGoesOnInAnotherProcess: the same call with the same key sends the rest of the file, and
// later calls get the same answer.
func TestServiceGoesOnInAnotherProcess(t *testing.T) {
	t.Parallel()
	_, s := live(t)
	var sent atomic.Int64
	m := &media{content: large()}
	request := atOnce(m.source(int64(len(m.content))))
	var jobs []string
	calls := 0
	for ; len(jobs) < 3; calls++ {
		require.Less(t, calls, 500)
		c, err := client.New(s.URL, client.WithAPIKey(s.Key), client.WithRetry(client.NoRetry), cutLine(t, 5<<20, &sent))
		require.NoError(t, err)
		_, job, err := c.Transcripts.Submit(t.Context(), request, client.WithIdempotencyKey("mine"))
		if err == nil {
			jobs = append(jobs, job.JobID)
			continue
		}
		assert.ErrorContains(t, err, "client: PATCH /v1/")
	}
	assert.GreaterOrEqual(t, calls, 6, "three calls at least were cut")
	assert.Equal(t, strings.Repeat(jobs[0], 3), strings.Join(jobs, ""))
}

// TestServiceRemovesAnUpload that a caller has given up.
func TestServiceRemovesAnUpload(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var at string
	c, s := live(t, around(func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
		if r.Method == http.MethodPatch {
			at = r.URL.String()
		}
		return next.RoundTrip(r)
	}))
	m := &media{content: large()}
	_, _, err := c.Transcripts.Submit(ctx, transcript.Request{Source: m.source(int64(len(m.content)))}, client.WithUploadProgress(func(sent, _ int64) {
		if sent > 5<<20 {
			cancel()
		}
	}))
	require.ErrorIs(t, err, context.Canceled)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodHead, at, http.NoBody)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+s.Key)
	resp, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Equal(t, http.StatusNotFound, resp.StatusCode)
}

// large is a file that the client sends as a resumable upload.
var large = sync.OnceValue(func() []byte {
	content := make([]byte, 16<<20+12_345)
	_, _ = rand.NewChaCha8([32]byte{27}).Read(content) // it never fails
	return content
})
