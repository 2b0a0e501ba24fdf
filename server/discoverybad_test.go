package server_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
	discovery "github.com/transcriptkit/transcriptkit/transcript/video" // video is a video
)

// discoveries are a request of each route of discovery.
var discoveries = []string{
	"/v1/video_site/search?q=talk",
	"/v1/video_site/videos?videoId=" + video,
	"/v1/video_site/channels?channel=@talks",
	"/v1/video_site/channels/@talks/videos",
	"/v1/video_site/playlists/" + bestTalks + "/items",
}

// What is out of bounds, and what names nothing, is refused before the site is asked.
func TestDiscoveryRefuses(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.setVideoSite()
	ids := func(n int) string { return strings.TrimSuffix(strings.Repeat(video+",", n), ",") }
	for path, want := range map[string]struct {
		status int
		code   string // empty: flat
	}{
		"search":                      {400, "INVALID_REQUEST"},
		"search?q=%20%20":             {400, "INVALID_REQUEST"},
		"search?q=a&channelId=@talks": {422, "INVALID_VIDEO"},
		"search?q=a&channelId=https://a.example/b":      {422, "UNSUPPORTED_PLATFORM"},
		"search?q=a&channelId=UC0000000000000000000000": {404, "UNAVAILABLE"},
		"videos?videoId=" + video + ",,":                {400, "INVALID_REQUEST"},
		"videos?videoId=" + ids(51):                     {400, "INVALID_REQUEST"},
		"videos?videoId=" + video + ",short":            {422, "INVALID_VIDEO"},
		"channels?channel=@talks&channelId=@talks":      {400, "INVALID_REQUEST"},
		"channels?channel=talks":                        {422, "INVALID_VIDEO"},
		"channels?channel=@nobody":                      {404, "UNAVAILABLE"},
		"channels/talks/videos":                         {404, ""},
		"channels/..%2F@talks/videos":                   {404, ""},
		"channels/@nobody/videos":                       {404, "UNAVAILABLE"},
		"playlists/WL/items":                            {404, ""},
		"playlists/PL0000000000/items":                  {404, "UNAVAILABLE"},
	} {
		a := s.get(t, "/v1/video_site/"+path)
		require.Equal(t, want.status, a.StatusCode, "%s: %s", path, a.body)
		if want.code == "" {
			assert.Equal(t, "not_found", a.slug(t), path)
			continue
		}
		assert.Equal(t, want.code, a.failure(t)["code"], path)
	}
	assert.Equal(t, http.StatusOK, s.get(t, "/v1/video_site/videos?videoId="+ids(50)).StatusCode)
}

// The videos come in the order of the question, as often as they are asked for.
func TestVideosInOrder(t *testing.T) {
	t.Parallel()
	everyWay(t, "videos", func(t *testing.T, start starter) {
		s := start(t)
		s.setVideoSite()
		asked := []string{shortTalk, "aaaaaaaaaaa", "https://video.example/watch?v=" + video + "&t=4", shortTalk, "aaaaaaaaaaa"}
		a := s.get(t, "/v1/video_site/videos?videoId="+url.QueryEscape(strings.Join(asked, " , ")))
		require.Equal(t, http.StatusOK, a.StatusCode, a.body)
		var ids []any
		for _, v := range a.object(t)["items"].([]any) {
			ids = append(ids, v.(map[string]any)["videoId"])
		}
		assert.Equal(t, []any{shortTalk, video, shortTalk}, ids)
		assert.Equal(t, []any{"aaaaaaaaaaa", "aaaaaaaaaaa"}, a.object(t)["notFound"])
		assert.Equal(t, 1, s.Engine.Discoveries())
	})
}

// A page token is good for its list, its parameters and its account, and only while the
// site knows it.
func TestPageTokensOfDiscovery(t *testing.T) {
	t.Parallel()
	everyWay(t, "tokens", func(t *testing.T, start starter) {
		s := start(t)
		s.setVideoSite()
		const search = "/v1/video_site/search?q=talk&maxResults=1"
		token := s.get(t, search).object(t)["nextPageToken"].(string)
		at := "&pageToken=" + url.QueryEscape(token)
		require.Equal(t, http.StatusOK, s.get(t, search+at).StatusCode)
		require.Equal(t, http.StatusOK, s.get(t, "/v1/video_site/search?q=talk&maxResults=2&type=video"+at).StatusCode, "as it was")
		for name, a := range map[string]*answer{
			"other words":   s.get(t, "/v1/video_site/search?q=talks"+at),
			"another order": s.get(t, search+"&order=date"+at),
			"another type":  s.get(t, search+"&type=channel"+at),
			"a channel":     s.get(t, search+"&channelId="+talks+at),
			"another list":  s.get(t, "/v1/video_site/channels/@talks/videos?x=y"+at),
			"another's":     s.get(t, search+at, as(s.NewKey(t, "globex"))),
			"made up":       s.get(t, search+"&pageToken=eyJvZiI6IiJ9"),
			"no base64":     s.get(t, search+"&pageToken=%00"),
			"too long":      s.get(t, search+"&pageToken="+strings.Repeat("A", 1025)),
		} {
			require.Equal(t, http.StatusBadRequest, a.StatusCode, "%s: %s", name, a.body)
			assert.Contains(t, a.body, "pageToken", name)
		}
		s.Engine.FailDiscovery(engine.NoSuchPage())
		a := s.get(t, search+at)
		require.Equal(t, http.StatusBadRequest, a.StatusCode, a.body)
		assert.Contains(t, a.body, "pageToken")
	})
}

// Whatever goes wrong at the site is told with its own status, and never as nothing
// found.
func TestFaultsOfDiscovery(t *testing.T) {
	t.Parallel()
	blocked := transcript.Errorf(transcript.IPBlocked, "It blocks.")
	blocked.RetryAfter = 1
	everyWay(t, "faults", func(t *testing.T, start starter) {
		s := start(t)
		s.setVideoSite()
		for _, c := range []struct {
			err    error
			status int
			code   string
		}{
			{transcript.Errorf(transcript.UpstreamFailed, "Broken."), 502, "UPSTREAM_FAILED"},
			{transcript.Errorf(transcript.LoginRequired, "Log in."), 503, "LOGIN_REQUIRED"},
			{transcript.Errorf(transcript.POTokenRequired, "Empty."), 503, "PO_TOKEN_REQUIRED"},
			{transcript.Errorf(transcript.ConfigError, "No program."), 503, "CONFIG_ERROR"},
			{transcript.Errorf(transcript.ServiceUnavailable, "The quota is used up."), 503, "SERVICE_UNAVAILABLE"},
			{engine.CannotAsk("order", "leave it out"), 503, "NOT_IMPLEMENTED"},
			{transcript.Errorf(transcript.NoTranscript, "A lie."), 502, "UPSTREAM_FAILED"},
			{engine.NoSuchPage(), 502, "UPSTREAM_FAILED"}, // there was no token
			{errors.New("a nil map"), 500, ""},
			{blocked, 503, "IP_BLOCKED"}, // the last: it is heeded
		} {
			s.Engine.FailDiscovery(c.err)
			for _, path := range discoveries {
				a := s.get(t, path)
				require.Equal(t, c.status, a.StatusCode, "%s: %v: %s", path, c.err, a.body)
				if c.code != "" {
					assert.Equal(t, c.code, a.failure(t)["code"], "%s: %v", path, c.err)
				}
				if c.code == "IP_BLOCKED" {
					assert.NotEmpty(t, a.Header.Get("Retry-After"))
				}
			}
		}
	})
}

// liar says what it likes.
type liar struct {
	found  engine.Listing[discovery.Result]
	videos []discovery.Video
	items  engine.Listing[discovery.Item]
	of     discovery.Channel
	err    error
	// Search closes begun, waits until it is told to end, and closes ended; nil: it
	// answers at once.
	begun, ended chan struct{}
}

func (l *liar) Search(ctx context.Context, _ discovery.Search, _ engine.Window) (engine.Listing[discovery.Result], error) {
	if l.begun != nil {
		close(l.begun)
		<-ctx.Done()
		close(l.ended)
		return l.found, ctx.Err()
	}
	return l.found, l.err
}
func (l *liar) Videos(context.Context, []engine.Content) ([]discovery.Video, error) {
	return l.videos, nil
}
func (l *liar) Channel(context.Context, engine.List) (discovery.Channel, error) { return l.of, nil }

func (l *liar) Uploads(context.Context, engine.List, discovery.Kind, engine.Window) (engine.Listing[discovery.Summary], error) {
	return engine.Listing[discovery.Summary]{ID: l.of.ChannelID}, nil
}

func (l *liar) Items(context.Context, engine.List, engine.Window) (engine.Listing[discovery.Item], error) {
	return l.items, nil
}

func (l *liar) ByAPI() {}

func (l *liar) start(t *testing.T, configure ...func(*server.Config)) *service {
	t.Helper()
	return start(t, append(configure, func(c *server.Config) {
		all := c.Engine
		c.Engine = func(h engine.Host) (engine.Engine, error) {
			e, err := all(h)
			e.Discovery = l
			return e, err
		}
	})...)
}

// What breaks the rules is a fault; what is beside the point is not known then.
func TestLiesOfDiscovery(t *testing.T) {
	t.Parallel()
	l := new(liar)
	s := l.start(t)
	found := func(n int, id, next string) (all engine.Listing[discovery.Result]) {
		for range n {
			all.Items = append(all.Items, discovery.Result{Type: discovery.TypeVideo, Video: &discovery.Summary{VideoID: id}})
		}
		all.Next = next
		return all
	}
	wrong := map[string]engine.Listing[discovery.Result]{
		"an id":        found(1, "../../etc", ""),
		"too many":     found(21, video, ""),
		"a long next":  found(1, video, strings.Repeat("x", 513)),
		"a NUL":        found(1, video, "a\x00"),
		"no member":    {Items: []discovery.Result{{Type: discovery.TypeVideo}}},
		"another type": {Items: []discovery.Result{{Type: discovery.TypeChannel, Channel: &discovery.Channel{ChannelID: talks}}}},
	}
	for name, lie := range wrong {
		l.found = lie
		a := s.get(t, "/v1/video_site/search?q=talk")
		assert.Equal(t, http.StatusBadGateway, a.StatusCode, "%s: %s", name, a.body)
	}
	l.found = found(1, video, strings.Repeat("<", 512))
	token := s.get(t, "/v1/video_site/search?q=talk").object(t)["nextPageToken"].(string)
	require.LessOrEqual(t, len(token), 1024)
	a := s.get(t, "/v1/video_site/search?q=talk&pageToken="+token)
	assert.Equal(t, http.StatusBadGateway, a.StatusCode, "it leads back to itself: %s", a.body)

	l.videos = []discovery.Video{{Summary: discovery.Summary{VideoID: shortTalk}, TrackMetadataStatus: transcript.TracksSkipped}}
	a = s.get(t, "/v1/video_site/videos?videoId="+video)
	assert.Equal(t, http.StatusBadGateway, a.StatusCode, "nobody asked for it: %s", a.body)
	l.of.ChannelID = "UC0000000000000000000000"
	for _, path := range []string{"channels?channel=" + talks, "channels/" + talks + "/videos"} {
		a = s.get(t, "/v1/video_site/"+path)
		assert.Equal(t, http.StatusBadGateway, a.StatusCode, "another channel: %s", a.body)
	}
	l.items.Items = []discovery.Item{{Position: -1, Video: discovery.Summary{VideoID: video}}}
	a = s.get(t, "/v1/video_site/playlists/"+bestTalks+"/items")
	assert.Equal(t, http.StatusBadGateway, a.StatusCode, a.body)

	l.videos = []discovery.Video{{Summary: discovery.Summary{
		VideoID: video, Title: new("a\xff\x00b"), ChannelID: new("@talks"), DurationSec: new(-1), ViewCount: new(int64(-5)),
		ThumbnailURL: new("javascript:alert(1)"), PublishedAt: new(transcript.At(time.Date(12000, 1, 1, 0, 0, 0, 0, time.UTC))),
	}, TrackMetadataStatus: transcript.TracksEmpty, Languages: []string{"xx"}}}
	a = s.get(t, "/v1/video_site/videos?videoId="+video)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	v := a.object(t)["items"].([]any)[0].(map[string]any)
	for _, unknown := range []string{"channelId", "durationSec", "viewCount", "thumbnailUrl", "publishedAt"} {
		assert.Nil(t, v[unknown], unknown)
	}
	assert.Equal(t, "a\uFFFD\x00b", v["title"])
	assert.Equal(t, []any{}, v["languages"])
	assert.Equal(t, false, v["captionAvailable"])
	assert.Equal(t, "partial", v["metadataStatus"])

	l.videos = []discovery.Video{{Summary: discovery.Summary{VideoID: video, CaptionAvailable: new(true), PublishedAt: new(transcript.At(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)))},
		Tracks: []transcript.Track{{Lang: "en", Kind: transcript.TrackForced}}, TrackMetadataStatus: transcript.TracksOK}}
	a = s.get(t, "/v1/video_site/videos?videoId="+video)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	v = a.object(t)["items"].([]any)[0].(map[string]any)
	assert.Nil(t, v["captionAvailable"], "forced tracks are never the transcript")
	assert.Nil(t, v["publishedAt"])

	l.err = transcript.Errorf(transcript.IPBlocked, "Too often.")
	a = s.get(t, "/v1/video_site/search?q=talk")
	assert.Equal(t, http.StatusServiceUnavailable, a.StatusCode, a.body)
	assert.Equal(t, "30", a.Header.Get("Retry-After"), "it keeps no pace, and does not say")
	l.err = transcript.Errorf(transcript.UpstreamFailed, "A call took too long.").Because(context.DeadlineExceeded)
	a = s.get(t, "/v1/video_site/search?q=talk")
	assert.Equal(t, "A call took too long.", a.failure(t)["message"], "it was not the service's own patience")
}

// A question ends with the caller who has it, and when its time is up.
func TestDiscoveryEndsWithItsReader(t *testing.T) {
	t.Parallel()
	l := &liar{begun: make(chan struct{}), ended: make(chan struct{})}
	s := l.start(t)
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		<-l.begun
		leave()
	}()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+discoveries[0], nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+s.Key)
	resp, err := s.http.Do(r)
	if err == nil {
		resp.Body.Close()
	}
	require.ErrorIs(t, err, context.Canceled)
	<-l.ended

	late := &liar{begun: make(chan struct{}), ended: make(chan struct{})}
	s = late.start(t, func(c *server.Config) { server.SettingsOf(c).DiscoveryBudget = 2 * time.Second })
	a := s.get(t, discoveries[0])
	assert.Equal(t, http.StatusBadGateway, a.StatusCode, a.body)
	assert.Equal(t, "UPSTREAM_FAILED", a.failure(t)["code"])
	select {
	case <-late.begun:
		<-late.ended
	default: // a busy machine may take longer than the budget to begin the search
	}
}
