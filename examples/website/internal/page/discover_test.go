package page_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

const talks = "UC1234567890123456789012"

// uploads are videos of a channel, the newest first, of which little is known.
func uploads(n int) (all []video.Video) {
	for n := range n {
		title, channel, id := fmt.Sprintf("Talk %02d", n), "Talks & <b>more</b>", talks
		all = append(all, video.Video{Summary: video.Summary{VideoID: fmt.Sprintf("aaaaaaaaa%02d", n), Title: &title, Channel: &channel, ChannelID: &id}})
	}
	return all
}

func TestDiscoverFindsAndLists(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	videos := uploads(40)
	length, views, yes := 3723, int64(1_234_567), true
	videos[0].DurationSec, videos[0].ViewCount, videos[0].IsLive, videos[0].CaptionAvailable = &length, &views, &yes, &yes
	lure := hostile
	videos[1].Title = &lure
	s.Engine.SetVideos(videos...)
	title, handle := "Talks", "@talks"
	s.Engine.SetChannels(video.Channel{ChannelID: talks, Title: &title, Handle: &handle})
	best := "Best talks"
	s.Engine.SetPlaylists(video.Playlist{PlaylistID: "PL1234567890", Title: &best})
	s.Engine.SetList("PL1234567890", "aaaaaaaaa02", "bbbbbbbbbbb")
	s.Engine.SetList(talks, "aaaaaaaaa00")

	for path, want := range map[string][]string{
		"/discover":                           {`name="q"`},
		"/discover?q=talk":                    {"Talk 02", `value="aaaaaaaaa02"`, "1:02:03", "1,234,567 views", "live now", "has captions", "Talks &amp; &lt;b&gt;more&lt;/b&gt;", "from="},
		"/discover?q=onerror":                 {"&lt;img src=x"},
		"/discover?q=nobody":                  {"The site found nothing for"},
		"/discover?q=Talks&type=channel":      {"/discover/channels/" + talks, "@talks"},
		"/discover?q=talks&type=playlist":     {"/discover/playlists/PL1234567890", "Best talks"},
		"/discover/channels/" + talks:         {"Talk 00", "Talk 29", `name="channel" value="` + talks, "from=", `aria-current="page">All uploads`},
		"/discover/channels/@talks?kind=live": {"Talk 00", `aria-current="page">Live`},
		"/discover/playlists/PL1234567890":    {"Talk 02", "removed or private", `value="bbbbbbbbbbb" disabled`},
	} {
		got := s.get(t, path)
		assert.Equal(t, http.StatusOK, got.status, path)
		for _, w := range want {
			assert.Contains(t, got.body, w, path)
		}
		assert.NotContains(t, got.body, "<img src=x", path)
	}
	for path, to := range map[string]string{
		"/discover?q=%40talks": "/discover/channels/@talks",
		"/discover?q=https%3A%2F%2Fyoutube.com%2Fplaylist%3Flist%3DPL1234567890": "/discover/playlists/PL1234567890",
		"/discover?q=https%3A%2F%2Fyoutu.be%2FdQw4w9WgXcQ":                       "/?links=https%3A%2F%2Fyoutu.be%2FdQw4w9WgXcQ",
	} {
		got := s.get(t, path)
		assert.Equal(t, http.StatusSeeOther, got.status, path)
		assert.Equal(t, to, got.header.Get("Location"), path)
	}
	assert.Equal(t, http.StatusNotFound, s.get(t, "/discover/channels/@nobody").status)
	assert.Equal(t, http.StatusNotFound, s.get(t, "/discover/playlists/PL0000000000").status)
}

// What is found becomes a text, a batch of what is ticked, or a batch of a whole list.
func TestDiscoverTakes(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.Engine.SetVideos(uploads(5)...)
	s.Engine.SetList(talks, "aaaaaaaaa00", "aaaaaaaaa01", "aaaaaaaaa02")
	s.Engine.SetList("PL1234567890", "aaaaaaaaa03")

	one := s.post(t, "/discover", "video", "aaaaaaaaa01", "video", "aaaaaaaaa02", "only", "aaaaaaaaa04")
	require.Equal(t, http.StatusSeeOther, one.status, one.body)
	assert.Contains(t, one.header.Get("Location"), "/transcripts/video_site/aaaaaaaaa04")

	for name, fields := range map[string][]string{
		"ticked":   {"video", "aaaaaaaaa01", "video", "aaaaaaaaa02", "tag", "de"},
		"channel":  {"channel", talks, "most", "2", "video", "aaaaaaaaa04"},
		"playlist": {"playlist", "PL1234567890", "most", "50"},
	} {
		got := s.post(t, "/discover", fields...)
		require.Equal(t, http.StatusSeeOther, got.status, name+got.body)
		assert.Regexp(t, `^/batches/[0-9a-f-]{36}$`, got.header.Get("Location"), name)
	}
	for name, fields := range map[string][]string{
		"nothing":  {"video", ""},
		"too many": {"channel", talks, "most", "501"},
		"no most":  {"channel", talks},
		"language": {"only", "aaaaaaaaa01", "tag", "!"},
	} {
		got := s.post(t, "/discover", fields...)
		assert.GreaterOrEqual(t, got.status, http.StatusBadRequest, name)
		assert.Less(t, got.status, http.StatusInternalServerError, name)
	}
	assert.Equal(t, http.StatusBadRequest, s.post(t, "/discover").status)
}

// Where the site cannot be asked, the page says why, and when to come again.
func TestDiscoverSaysWhyNot(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	blocked := transcript.Errorf(transcript.IPBlocked, "The site has had enough.")
	blocked.RetryAfter = 90
	s.Engine.FailDiscovery(blocked)
	got := s.get(t, "/discover?q=talk")
	assert.Equal(t, http.StatusServiceUnavailable, got.status)
	assert.Equal(t, "90", got.header.Get("Retry-After"))
	assert.Contains(t, got.body, "The site blocks this service for the moment.")
	assert.Contains(t, got.body, `value="talk"`)
	assert.Contains(t, got.body, `href="/discover?q=talk"`)

	without := newSite(t, visitor.User, servertest.Configure(func(c *server.Config) {
		build := c.Engine
		c.Engine = func(h engine.Host) (engine.Engine, error) {
			e, err := build(h)
			e.Discovery = nil
			return e, err
		}
	}))
	got = without.get(t, "/discover?q=talk")
	assert.Equal(t, http.StatusServiceUnavailable, got.status)
	assert.Contains(t, got.body, "This service cannot do that.")
	assert.Equal(t, http.StatusServiceUnavailable, without.get(t, "/discover/channels/@talks").status)
}

// A star is a form, which leads back to the page that it stands on, and nowhere else.
func TestStars(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.save(t, "aaaaaaaaaaa", "One", "en", "hello")
	const star = "/library/transcripts/video_site/aaaaaaaaaaa/star?language=en"
	given := s.post(t, star, "starred", "true", "next", "/library?q=one")
	assert.Equal(t, http.StatusSeeOther, given.status)
	assert.Equal(t, "/library?q=one", given.header.Get("Location"))
	assert.Contains(t, s.get(t, "/library?view=starred").body, `aria-pressed="true"`)
	taken := s.post(t, star, "starred", "false", "next", "https://evil.example/")
	assert.Equal(t, "/", taken.header.Get("Location"))
	assert.Contains(t, s.get(t, "/library").body, `aria-pressed="false"`)
	assert.Equal(t, http.StatusNotFound, s.post(t, "/library/transcripts/video_site/bbbbbbbbbbb/star", "starred", "true").status)
}

// A row of work says how it stands; failed work says why, what to do, and tries again.
func TestLibraryShowsWorkAndBatches(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.Engine.FailCaptions(transcript.Errorf(transcript.Unavailable, "It is gone."))
	release := s.Engine.HoldCaptions()
	defer release()
	job := s.begin(t, transcript.URL("https://youtu.be/aaaaaaaaaaa"), transcript.Format(""))
	pending := s.get(t, "/library")
	assert.Contains(t, pending.body, "data-busy data-job=")
	assert.Contains(t, pending.body, `<meta http-equiv="refresh"`)
	assert.Contains(t, pending.body, `href="`+job+`"`)

	release()
	s.end(t, job)
	assert.Contains(t, s.get(t, "/library?view=all").body, "Nothing in your library matches.")
	failed := s.get(t, "/library")
	for _, want := range []string{
		"removed, private", "Check whether the link plays in your browser", `name="links" value="https://www.youtube.com/watch?v=aaaaaaaaaaa"`,
		"Try again", `href="` + job + `"`, "/v1/library/transcripts/video_site/aaaaaaaaaaa?row=",
	} {
		assert.Contains(t, failed.body, want)
	}

	s.Engine.FailCaptions(nil)
	again := s.post(t, "/transcripts", "links", "https://www.youtube.com/watch?v=aaaaaaaaaaa", "language", "en")
	require.Equal(t, http.StatusSeeOther, again.status)
	batch := s.post(t, "/transcripts", "links", "https://youtu.be/aaaaaaaaaaa https://example.com/nonsense")
	require.Contains(t, batch.header.Get("Location"), "/batches/")
	listed := s.get(t, "/library")
	for _, want := range []string{`href="` + batch.header.Get("Location") + `"`, "Batch of 2 items", "1 has failed"} {
		assert.Contains(t, listed.body, want)
	}
}
