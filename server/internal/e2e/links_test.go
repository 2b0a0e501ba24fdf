package e2e_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ffmpeg"
	"github.com/transcriptkit/transcriptkit/server/engine/pocketsphinx"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// siteServed is a site on loopback and the service that takes it for the video
// site, with the real programs.
type siteServed struct {
	*service
	site *sitetest.Site
	url  string // of the site
}

// The service reads the site's pages by yt-dlp with the extractors that read any page.
func startWithSite(t *testing.T, media string, change ...func(*server.Config)) *siteServed {
	t.Helper()
	program, err := filepath.Abs("../../engine/ytdlp/testdata/yt-dlp-pages")
	require.NoError(t, err)
	return startWithProgram(t, program, media, change...)
}

// startWithProgram is startWithSite with yt-dlp at another path.
func startWithProgram(t *testing.T, program, media string, change ...func(*server.Config)) *siteServed {
	t.Helper()
	s := &siteServed{site: sitetest.New(media)}
	web := httptest.NewServer(s.site)
	t.Cleanup(web.Close)
	s.url = web.URL
	wire := func(c *server.Config) {
		host := strings.TrimPrefix(web.URL, "http://")
		sites, err := site.Default().Override(strings.NewReader(`{"video_site": {"hosts": ["` + host + `"], "base": "` + web.URL + `"}}`))
		require.NoError(t, err)
		c.Sites, c.Egress.Allow = sites, []string{host}
		c.Engine = func(h engine.Host) (engine.Engine, error) {
			downloader, err := ytdlp.New(h, ytdlp.Options{Program: program})
			return engine.Engine{
				Captions: []engine.CaptionSource{downloader}, Audio: downloader,
				Media: ffmpeg.New(h), Recognizer: pocketsphinx.New(h),
			}, err
		}
	}
	s.service = startService(t, append([]func(*server.Config){wire}, change...)...)
	return s
}

// link is a request for a page of the site.
func (s *siteServed) link(id string, languages ...string) transcript.Request {
	return transcript.Request{Source: transcript.URL(s.url + sitetest.Watch(id) + "&t=42"), Language: languages, SendMetadata: true}
}

func TestLinkWithCaptions(t *testing.T) {
	t.Parallel()
	s := startWithProgram(t, "yt-dlp", "../../../examples/testdata/talk.ogg") // with all its extractors
	for _, c := range []struct{ language, text string }{{"de", "hallo Welt"}, {"en", "hello world"}} {
		res, err := s.Transcripts.Get(t.Context(), s.link(sitetest.TwoTracks, "fr", c.language))
		require.NoError(t, err)
		assert.False(t, res.Cached)
		assert.Equal(t, c.language, res.Language)
		require.Len(t, res.Transcript.Segments, 2)
		assert.Equal(t, transcript.Segment{Text: c.text, Start: 0.5, Duration: 1.5}, res.Transcript.Segments[0])
		assert.Equal(t, transcript.OriginDownloader, res.Transcript.Source)
		assert.Contains(t, *res.Transcript.Title, "Two tracks")
		assert.Equal(t, s.url+sitetest.Watch(sitetest.TwoTracks), *res.Transcript.SourceURL)
	}
	asked := s.site.Requests(sitetest.Watch(sitetest.TwoTracks))
	again, err := s.Transcripts.Get(t.Context(), transcript.Request{Source: transcript.ID(transcript.VideoSite, sitetest.TwoTracks)})
	require.NoError(t, err)
	assert.True(t, again.Cached)
	assert.Equal(t, asked, s.site.Requests(sitetest.Watch(sitetest.TwoTracks)), "the cache asked the site")
	assert.Zero(t, s.site.Requests("/media"), "the sound was fetched although there are captions")
}

func TestLinkWithoutCaptions(t *testing.T) {
	t.Parallel()
	const said = "the quick brown fox jumped over the lazy dog"
	s := startWithSite(t, speechtest.Say(t, said))
	var now time.Duration
	request := s.link(sitetest.NoTracks, "en")
	request.Wait = &now
	_, job, err := s.Transcripts.Submit(t.Context(), request)
	require.NoError(t, err)
	require.NotNil(t, job, "no job was handed out")

	var stages []transcript.Stage
	for event, err := range s.Jobs.Events(t.Context(), job.JobID) {
		require.NoError(t, err)
		if len(stages) == 0 || stages[len(stages)-1] != event.Job.Stage {
			stages = append(stages, event.Job.Stage)
		}
	}
	for _, stage := range []transcript.Stage{transcript.StageCaptionFetch, transcript.StageDurationCheck, transcript.StageASRRunning, transcript.StageDone} {
		assert.Contains(t, stages, stage)
	}
	res, err := s.Jobs.Wait(t.Context(), job.JobID)
	require.NoError(t, err)
	assert.Equal(t, transcript.OriginASR, res.Transcript.Source)
	assert.Contains(t, *res.Transcript.Title, "No tracks")
	var heard []string
	for _, segment := range res.Transcript.Segments {
		heard = append(heard, segment.Text)
	}
	assert.LessOrEqual(t, speechtest.WordErrorRate(said, strings.Join(heard, " ")), 0.25)
	assert.Eventually(t, func() bool { return len(s.leftovers(t)) == 0 }, time.Minute, 10*time.Millisecond)

	again, err := s.Transcripts.Get(t.Context(), s.link(sitetest.NoTracks))
	require.NoError(t, err)
	assert.True(t, again.Cached, "the page has no captions, so the recognized text answers")
}

// A page that is gone is not one without captions.
func TestPageThatIsGone(t *testing.T) {
	t.Parallel()
	s := startWithSite(t, "../../../examples/testdata/talk.ogg")
	_, err := s.Transcripts.Get(t.Context(), s.link(sitetest.Status(http.StatusNotFound)))
	require.ErrorIs(t, err, transcript.Unavailable)
	assert.Zero(t, s.site.Requests("/media"))
}

// No link leads to the deployment's own address, though it be allowed for links
// under another name, and none to what is merely near.
func TestLinksLeadNowhereElse(t *testing.T) {
	t.Parallel()
	var reached atomic.Int32
	own := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(own.Close)
	target := strings.TrimPrefix(own.URL, "http://")
	s := startWithSite(t, "../../../examples/testdata/talk.ogg", func(c *server.Config) { c.Egress.Deny = []string{target} })
	lures := s.site.Lures(target)
	for _, does := range []string{"HTTP redirect", "JSON-LD contentUrl", "caption track"} {
		before := s.site.Requests(sitetest.Watch(lures[does]))
		require.Eventually(t, func() bool { // on a busy machine the program may begin after the reader's time
			_, err := s.Transcripts.Captions(t.Context(), lures[does], nil, client.WithRetry(client.RetryPolicy{Attempts: 1}))
			return assert.ErrorIs(t, err, transcript.UpstreamFailed, does) && s.site.Requests(sitetest.Watch(lures[does])) > before
		}, time.Minute, 10*time.Millisecond, "%s: the page was not read", does)
	}
	assert.Zero(t, reached.Load(), "the deployment's own address was reached")
}

// An address that is the deployment's own cannot be allowed.
func TestOwnAddressCannotBeAllowed(t *testing.T) {
	t.Parallel()
	_, err := server.New(t.Context(), server.Config{
		Store: storetest.Open(t, storetest.SQLite(t)), Dir: t.TempDir(),
		Egress: server.Egress{Allow: []string{"127.0.0.1:9099"}, Deny: []string{"localhost:9099"}},
	})
	require.ErrorContains(t, err, "127.0.0.1:9099")
}
