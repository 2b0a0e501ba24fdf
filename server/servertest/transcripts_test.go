package servertest_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestServiceTranscribes(t *testing.T) {
	t.Parallel()
	c, s := live(t)
	s.Engine.Say("four score and seven years ago")
	m := &media{content: []byte("the media")}

	result, err := c.Transcripts.Get(t.Context(), transcript.Request{Source: m.source(9)})
	require.NoError(t, err)
	assert.False(t, result.Cached)
	assert.Equal(t, "four score and seven years ago", result.Transcript.Segments[0].Text)

	result, err = c.Transcripts.Get(t.Context(), transcript.Request{Source: m.source(-1), Format: transcript.Text, OmitTimestamp: true})
	require.NoError(t, err)
	assert.True(t, result.Cached)
	assert.Equal(t, "four score and seven years ago", result.Text)
	assert.Equal(t, 1, s.Engine.Recognitions())
}

// TestServiceEventsAcrossARestart: the sequence outlives the service that began it.
func TestServiceEventsAcrossARestart(t *testing.T) {
	t.Parallel()
	c, s := live(t)
	release := s.Engine.Hold()
	defer release()
	m := &media{content: []byte("the media")}
	_, job, err := c.Transcripts.Submit(t.Context(), atOnce(m.source(9)))
	require.NoError(t, err)
	require.NotNil(t, job)

	var ids []int
	var last transcript.Event
	restarted := false
	for event, err := range c.Jobs.Events(t.Context(), job.JobID) {
		require.NoError(t, err)
		if event.ID > 0 {
			ids = append(ids, event.ID)
		}
		last = event
		if event.Job.Stage == transcript.StageASRRunning && !restarted {
			restarted = true
			require.NoError(t, s.Restart(t.Context()))
			release()
		}
	}
	require.True(t, restarted)
	assert.Equal(t, transcript.EventCompleted, last.Type)
	require.NotNil(t, last.Job.Result)
	require.NotEmpty(t, ids)
	for i, id := range ids {
		assert.Equal(t, ids[0]+i, id, "none missed, none repeated: %v", ids)
	}

	for event, err := range c.Jobs.Events(t.Context(), job.JobID, client.WithHeader("Last-Event-ID", strconv.Itoa(last.ID))) {
		t.Errorf("nothing follows the last event, but: %v %v", event, err)
	}
}

// narrow is a connection that takes so many bytes, and then no more until it is closed.
type narrow struct {
	net.Conn
	left   int
	closed chan struct{}
	close  func() error
}

func (c *narrow) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b[:min(len(b), c.left)])
	if c.left -= n; err != nil || n == len(b) {
		return n, err
	}
	<-c.closed
	return n, net.ErrClosed
}

func (c *narrow) Close() error { return c.close() }

// A wrong field is told before the file has been sent, however slow the line.
func TestServiceJudgesFieldsBeforeTheFile(t *testing.T) {
	t.Parallel()
	transport := &http.Transport{ExpectContinueTimeout: time.Second, DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, addr)
		closed := make(chan struct{})
		return &narrow{conn, 256 << 10, closed, sync.OnceValue(func() error { close(closed); return conn.Close() })}, err
	}}
	t.Cleanup(transport.CloseIdleConnections)
	c, s := live(t, client.WithHTTPClient(&http.Client{Transport: transport}))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	source := transcript.Media("zeros.wav", 1<<30, func() (io.ReadCloser, error) { return io.NopCloser(zeros{}), nil })
	_, _, err := c.Transcripts.Submit(ctx, transcript.Request{Source: source, Format: "srt", Language: []string{"no language"}})
	require.ErrorIs(t, err, transcript.InvalidRequest)
	assert.ErrorContains(t, err, "format must be")
	assert.Zero(t, s.Engine.Recognitions())
}
