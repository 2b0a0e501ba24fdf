package servertest_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// talk asks for the transcript of a file with the content.
func talk(content string) transcript.Request {
	return transcript.Request{Source: transcript.Media("talk.wav", int64(len(content)), func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(content)), nil
	})}
}

func newClient(t *testing.T, s *servertest.Server, key string) *client.Client {
	t.Helper()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(transport.CloseIdleConnections)
	c, err := client.New(s.URL, client.WithAPIKey(key), client.WithHTTPClient(&http.Client{Transport: transport}))
	require.NoError(t, err)
	return c
}

func TestEveryFileIsSpeech(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	c := newClient(t, s, s.Key)
	first, err := c.Transcripts.Get(t.Context(), talk("a"))
	require.NoError(t, err)
	require.Len(t, first.Transcript.Segments, 1)
	assert.Equal(t, "hello world", first.Transcript.Segments[0].Text)
	assert.Equal(t, 10, *first.LengthSeconds)
	again, err := c.Transcripts.Get(t.Context(), talk("a"))
	require.NoError(t, err)
	assert.True(t, again.Cached)
	assert.Equal(t, 1, s.Engine.Recognitions())
}

func TestHoldAndAwait(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	c := newClient(t, s, s.Key)
	release := s.Engine.Hold()
	request := talk("a")
	request.Wait = new(time.Duration) // not at all
	_, job, err := c.Transcripts.Submit(t.Context(), request)
	require.NoError(t, err)
	require.NoError(t, s.Engine.Await(t.Context(), 1))
	held, err := c.Jobs.Get(t.Context(), job.JobID)
	require.NoError(t, err)
	assert.Equal(t, transcript.StageASRRunning, held.Stage)
	release()
	release()
	_, err = c.Jobs.Wait(t.Context(), job.JobID)
	require.NoError(t, err)

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, s.Engine.Await(ended, 2), context.Canceled)
}

// ask is a request for the transcript of a content; it waits for it.
func ask(p transcript.Platform, id string) transcript.Request {
	wait := 10 * time.Second
	return transcript.Request{Source: transcript.ID(p, id), Wait: &wait}
}

func TestLinksAsTold(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	c := newClient(t, s, s.Key)
	first, err := c.Transcripts.Get(t.Context(), ask(transcript.VideoSite, videoID))
	require.NoError(t, err)
	assert.Equal(t, transcript.OriginDownloader, first.Transcript.Source)
	assert.Equal(t, "hello world", first.Transcript.Segments[0].Text)
	photo, err := c.Transcripts.Get(t.Context(), ask(transcript.PhotoSite, "CxYz012345a"))
	require.NoError(t, err)
	assert.Equal(t, transcript.OriginASR, photo.Transcript.Source)

	s.Engine.SetTracks(servertest.Track{Lang: "en-GB", Kind: transcript.TrackAuto, Text: "color"})
	s.Engine.SetMetadata(transcript.Metadata{Title: "Paint", Duration: 61})
	request := ask(transcript.ShortVideoSite, "7123456789012345678")
	request.SendMetadata = true
	clip, err := c.Transcripts.Get(t.Context(), request)
	require.NoError(t, err)
	assert.Equal(t, transcript.OriginShortVideoSiteCaptions, clip.Transcript.Source)
	assert.Equal(t, "en-GB", clip.Language)
	assert.Equal(t, "color", clip.Transcript.Segments[0].Text)
	assert.Equal(t, "Paint", *clip.Transcript.Title)
	assert.Equal(t, "1:01", *clip.LengthText)

	s.Engine.SetTracks()
	post, err := c.Transcripts.Get(t.Context(), ask(transcript.ProfessionalSite, "7123456789012345678"))
	require.NoError(t, err)
	assert.Equal(t, transcript.OriginASR, post.Transcript.Source)
	for platform, calls := range map[transcript.Platform][2]int{
		transcript.VideoSite: {1, 0}, transcript.ShortVideoSite: {1, 0}, transcript.ProfessionalSite: {1, 1},
		transcript.PhotoSite: {0, 1}, transcript.MicroblogSite: {0, 0},
	} {
		assert.Equal(t, calls[0], s.Engine.CaptionReads(platform), platform)
		assert.Equal(t, calls[1], s.Engine.Downloads(platform), platform)
	}
}

func TestLinksThatFail(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	c := newClient(t, s, s.Key)
	s.Engine.FailCaptions(transcript.Errorf(transcript.Unavailable, "It is private."))
	_, err := c.Transcripts.Get(t.Context(), ask(transcript.VideoSite, videoID))
	require.ErrorIs(t, err, transcript.Unavailable)
	s.Engine.FailCaptions(nil)
	s.Engine.SetTracks()
	s.Engine.FailAudio(transcript.Errorf(transcript.LoginRequired, "It is for members."))
	_, err = c.Transcripts.Get(t.Context(), ask(transcript.VideoSite, videoID))
	require.ErrorIs(t, err, transcript.LoginRequired)
	s.Engine.FailAudio(nil)
	_, err = c.Transcripts.Get(t.Context(), ask(transcript.VideoSite, videoID))
	assert.NoError(t, err)
}

func TestHoldCaptions(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	c := newClient(t, s, s.Key)
	release := s.Engine.HoldCaptions()
	request := ask(transcript.VideoSite, videoID)
	request.Wait = new(time.Duration) // not at all
	_, job, err := c.Transcripts.Submit(t.Context(), request)
	require.NoError(t, err)
	held, err := c.Jobs.Get(t.Context(), job.JobID)
	require.NoError(t, err)
	assert.False(t, held.Status.Terminal())
	release()
	release()
	_, err = c.Jobs.Wait(t.Context(), job.JobID)
	require.NoError(t, err)
}

func TestOnPlan(t *testing.T) {
	t.Parallel()
	links := account.WithoutLimits("links only")
	links.Upload, links.ActionURL = false, "https://example.com/plans"
	free := account.Plan{Name: "free", ActionURL: "https://example.com/pay"}
	s := servertest.New(t, servertest.OnPlan(links, free))
	for _, key := range []string{s.Key, s.NewKey(t, "globex")} {
		c := newClient(t, s, key)
		_, err := c.Transcripts.Get(t.Context(), talk("a"))
		var refused *client.Error
		require.ErrorAs(t, err, &refused)
		assert.Equal(t, transcript.UpgradeRequired, refused.Code)
		assert.Equal(t, "https://example.com/plans", refused.ActionURL)
		_, err = c.Transcripts.Get(t.Context(), ask(transcript.VideoSite, videoID))
		require.NoError(t, err)
	}
	_, err := s.Accounts.Set(t.Context(), servertest.Account, account.Settings{Plan: "free"})
	require.NoError(t, err)
	_, err = newClient(t, s, s.Key).Transcripts.Get(t.Context(), ask(transcript.VideoSite, videoID))
	var refused *client.Error
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, "https://example.com/pay", refused.ActionURL)

	_, err = servertest.Start(t.Context(), servertest.OnPlan(free))
	assert.ErrorIs(t, err, transcript.UpgradeRequired, "an account that does not pay has no key")
}

// A held recognition does not hold up the end of the test.
func TestNothingIsLeftOfHeldWork(t *testing.T) {
	t.Parallel()
	s, err := servertest.Start(t.Context())
	require.NoError(t, err)
	s.Engine.Hold()
	request := talk("a")
	request.Wait = new(time.Duration) // not at all
	_, _, err = newClient(t, s, s.Key).Transcripts.Submit(t.Context(), request)
	require.NoError(t, err)
	require.NoError(t, s.Engine.Await(t.Context(), 1))
	require.NoError(t, s.Close(), "it would wait a minute for the work")
}

func TestRestartTakesWorkUpAgain(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	c := newClient(t, s, s.Key)
	release := s.Engine.Hold()
	request := talk("a")
	request.Wait = new(time.Duration) // not at all
	_, job, err := c.Transcripts.Submit(t.Context(), request)
	require.NoError(t, err)
	require.NoError(t, s.Engine.Await(t.Context(), 1))
	require.NoError(t, s.Restart(t.Context()))
	release()
	done, err := c.Jobs.Wait(t.Context(), job.JobID)
	require.NoError(t, err)
	require.Len(t, done.Transcript.Segments, 1)
	assert.Equal(t, 2, s.Engine.Recognitions())
}

func TestMediaAsTold(t *testing.T) {
	t.Parallel()
	s := servertest.New(t, servertest.Configure(func(c *server.Config) { c.Limits.MaxMediaDuration = 20 * time.Second }))
	c := newClient(t, s, s.Key)
	for content, expect := range map[string]struct {
		media servertest.Media
		err   error
	}{
		"no audio": {servertest.Media{NoAudio: true}, transcript.UploadInvalid},
		"long":     {servertest.Media{Duration: 21 * time.Second}, transcript.MediaTooLarge},
		"boasting": {servertest.Media{Claimed: 21 * time.Second, Silent: true}, nil},
		"silent":   {servertest.Media{Silent: true}, nil},
	} {
		s.Engine.SetMedia(expect.media)
		result, err := c.Transcripts.Get(t.Context(), talk(content))
		if expect.err != nil {
			assert.ErrorIs(t, err, expect.err, content)
			continue
		}
		require.NoError(t, err, content)
		assert.Empty(t, result.Transcript.Segments, content)
	}
	assert.Zero(t, s.Engine.Recognitions())
	s.Engine.FailMedia(transcript.Errorf(transcript.ConfigError, "No program."))
	_, err := c.Transcripts.Get(t.Context(), talk("b"))
	assert.ErrorIs(t, err, transcript.ConfigError)
	s.Engine.FailMedia(nil)
	s.Engine.SetMedia(servertest.Media{})
	s.Engine.Fail(transcript.Errorf(transcript.NotImplemented, "Not this."))
	_, err = c.Transcripts.Get(t.Context(), talk("c"))
	assert.ErrorIs(t, err, transcript.NotImplemented)
}

func TestOptions(t *testing.T) {
	t.Parallel()
	s := servertest.New(t,
		servertest.Configure(func(c *server.Config) { c.BasePath = "/media" }),
		servertest.Configure(func(c *server.Config) {
			trial := account.Plans{Default: "trial", ByName: map[string]account.Plan{"trial": {Paid: true, RateLimit: account.RateLimit{Requests: account.Unlimited}}}}
			var err error
			c.Accounts, err = account.New(c.Store, trial)
			assert.NoError(t, err)
		}),
		servertest.ConfigureStore(func(o *store.Options) { o.FullSync = true }),
	)
	assert.True(t, strings.HasSuffix(s.URL, "/media"))
	for _, key := range []string{s.Key, s.NewKey(t, "globex", account.Transcripts)} {
		_, err := newClient(t, s, key).Transcripts.Get(t.Context(), talk("a"))
		assert.ErrorIs(t, err, transcript.UpgradeRequired, "the plan has no uploads")
	}
	_, err := newClient(t, s, s.NewKey(t, "globex", account.Batches)).Transcripts.Get(t.Context(), talk("a"))
	assert.ErrorIs(t, err, transcript.Forbidden)
	_, err = servertest.Start(t.Context(), servertest.Configure(func(c *server.Config) { c.BasePath = "/" }))
	assert.ErrorContains(t, err, "BasePath")
}

func TestHeard(t *testing.T) {
	t.Parallel()
	heard := servertest.Heard("one two", 3*time.Second)
	require.Len(t, heard.Segments, 1)
	assert.Equal(t, []transcript.Word{{Text: "one", Start: 0, End: 1.5}, {Text: "two", Start: 1.5, End: 3}}, heard.Segments[0].Words)
	assert.Empty(t, servertest.Heard(" ", time.Second).Segments)
}
