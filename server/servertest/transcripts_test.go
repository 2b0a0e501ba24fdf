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
	"github.com/transcriptkit/transcriptkit/server/servertest"
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

func TestServiceReadsLinks(t *testing.T) {
	t.Parallel()
	c, s := live(t)
	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "four score"}, servertest.Track{Lang: "de", Text: "siebenundachtzig Jahre"})
	link := transcript.URL("https://youtu.be/" + videoID)

	info, err := c.Transcripts.Info(t.Context(), link)
	require.NoError(t, err)
	assert.Equal(t, videoID, info.ExternalID)
	assert.Equal(t, []string{"en", "de"}, info.Languages)
	assert.Empty(t, info.CachedLanguages)

	report, err := c.Transcripts.Captions(t.Context(), videoID, []string{"fr", "de"})
	require.NoError(t, err)
	require.NotNil(t, report.Transcript)
	assert.Equal(t, "siebenundachtzig Jahre", report.Transcript.Segments[0].Text)
	assert.Len(t, report.Tracks, 2)

	report, err = c.Transcripts.Captions(t.Context(), videoID, []string{"fr"})
	require.NoError(t, err)
	assert.Nil(t, report.Transcript)
	assert.True(t, report.RequiresAsync)
	require.ErrorIs(t, report.Error, transcript.ASRRequiresAsync)

	result, err := c.Transcripts.Get(t.Context(), transcript.Request{Source: link})
	require.NoError(t, err)
	assert.Equal(t, "four score", result.Transcript.Segments[0].Text)
	result, err = c.Transcripts.Get(t.Context(), transcript.Request{Source: transcript.ID(transcript.VideoSite, videoID)})
	require.NoError(t, err)
	assert.True(t, result.Cached)
	assert.Zero(t, s.Engine.Recognitions())

	info, err = c.Transcripts.Info(t.Context(), transcript.ID(transcript.VideoSite, videoID))
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{"en", "de"}, info.CachedLanguages)
}

func TestServiceCannotReadALink(t *testing.T) {
	t.Parallel()
	c, s := live(t)
	for code, status := range map[transcript.Code]int{transcript.LoginRequired: 503, transcript.Unavailable: 404} {
		s.Engine.FailCaptions(transcript.Errorf(code, "No."))
		report, err := c.Transcripts.Captions(t.Context(), videoID, nil, client.WithRetry(client.NoRetry))
		var refused *client.Error
		require.ErrorAs(t, err, &refused)
		assert.Equal(t, code, refused.Code)
		assert.Equal(t, status, refused.Response.StatusCode)
		if code == transcript.LoginRequired {
			require.NotNil(t, report, "the refusal is a report too")
			assert.Equal(t, transcript.TracksFailed, report.TrackMetadataStatus)
			assert.Equal(t, code, report.TrackMetadataErrorCode)
		}
	}
	for _, link := range []string{"--exec", "https://video.example/1", "ytsearch:talk", "file:///etc/passwd"} {
		_, err := c.Transcripts.Info(t.Context(), transcript.URL(link))
		var refused *client.Error
		require.ErrorAs(t, err, &refused, link)
		assert.Equal(t, 422, refused.Response.StatusCode, link)
	}
	_, err := c.Transcripts.Captions(t.Context(), "..", nil)
	require.ErrorIs(t, err, transcript.InvalidVideo)
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

func TestServiceCancels(t *testing.T) {
	t.Parallel()
	c, s := live(t)
	defer s.Engine.Hold()()
	m := &media{content: []byte("the media")}
	_, job, err := c.Transcripts.Submit(t.Context(), atOnce(m.source(9)))
	require.NoError(t, err)
	require.NoError(t, s.Engine.Await(t.Context(), 1))

	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = c.Jobs.Wait(ctx, job.JobID)
	var unfinished *client.WaitError
	require.ErrorAs(t, err, &unfinished)
	assert.Equal(t, job.JobID, unfinished.Job.JobID)

	cancelled, err := c.Jobs.Cancel(t.Context(), job.JobID)
	require.NoError(t, err)
	assert.Equal(t, transcript.JobCancelled, cancelled.Status)
	_, err = c.Jobs.Cancel(t.Context(), job.JobID)
	require.ErrorIs(t, err, transcript.StateConflict)
	_, err = c.Jobs.Wait(t.Context(), job.JobID)
	var ended *client.JobError
	require.ErrorAs(t, err, &ended)
	assert.Equal(t, transcript.JobCancelled, ended.Job.Status)
}

func TestServiceRefuses(t *testing.T) {
	t.Parallel()
	c, s := live(t)
	var resp client.Response
	m := &media{content: []byte("the media")}

	s.Engine.FailMedia(transcript.Errorf(transcript.UploadInvalid, "The file is not media."))
	_, err := c.Transcripts.Get(t.Context(), transcript.Request{Source: m.source(9)})
	require.ErrorIs(t, err, transcript.UploadInvalid)

	_, err = c.Transcripts.Get(t.Context(), transcript.Request{Source: transcript.URL("https://video.example/watch?v=1")}, client.WithResponse(&resp))
	require.ErrorIs(t, err, transcript.UnsupportedPlatform)
	assert.Equal(t, 1, resp.Attempts)
	assert.NotEmpty(t, resp.RequestID)

	_, err = c.Jobs.Get(t.Context(), jobID)
	require.ErrorIs(t, err, transcript.NotFound)
	_, err = c.Transcripts.Get(t.Context(), transcript.Request{Source: m.source(9), Language: []string{"no language"}})
	require.ErrorIs(t, err, transcript.InvalidRequest)

	opened := m.opened.Load()
	_, err = c.Transcripts.Get(t.Context(), transcript.Request{Source: m.source(9)}, client.WithAPIKey("tr_wrong"))
	var refused *client.Error
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, "invalid_credential", refused.Slug)
	assert.Equal(t, opened, m.opened.Load(), "refused before the file is read")
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

func TestServiceKnowsTheKey(t *testing.T) {
	t.Parallel()
	c, s := live(t)
	defer s.Engine.Hold()()
	var ids [2]string
	for i := range ids {
		m := &media{content: []byte("the media")}
		_, job, err := c.Transcripts.Submit(t.Context(), atOnce(m.source(9)), client.WithIdempotencyKey("mine"))
		require.NoError(t, err)
		ids[i] = job.JobID
	}
	assert.Equal(t, ids[0], ids[1])
	other := &media{content: []byte("other media")}
	_, _, err := c.Transcripts.Submit(t.Context(), atOnce(other.source(11)), client.WithIdempotencyKey("mine"))
	require.ErrorIs(t, err, transcript.IdempotencyConflict)
}
