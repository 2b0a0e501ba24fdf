package e2e_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/directmedia"
	"github.com/transcriptkit/transcriptkit/server/engine/ffmpeg"
	"github.com/transcriptkit/transcriptkit/server/engine/pocketsphinx"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// podcast is the site of a podcast: two episodes, of which one has a transcript of its publisher.
func podcast(t *testing.T) *httptest.Server {
	t.Helper()
	begin := filepath.Join(t.TempDir(), "begin.ogg")
	out, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-t", "6", "-i", "../../../examples/testdata/talk.ogg", "-c", "copy", begin).CombinedOutput()
	require.NoError(t, err, "%s", out)
	talk, err := os.ReadFile(begin)
	require.NoError(t, err)
	answers := map[string]string{
		"/talk": string(talk),
		"/episodes/2": `<html><head><title>Two</title><link rel="alternate" type="application/rss+xml" href="/feed"></head>
			<body><audio src="/talk"></audio></body></html>`,
		"/feed": `<?xml version="1.0"?><rss version="2.0" xmlns:podcast="https://podcastindex.org/namespace/1.0"
			xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>Talks</title><language>en</language>
			<item><title>One</title><guid>one</guid><itunes:author>Ada</itunes:author><enclosure url="/talk" type="audio/ogg"/>
				<pubDate>Sun, 01 Nov 2026 08:00:00 GMT</pubDate><podcast:chapters url="/chapters" type="application/json+chapters"/></item>
			<item><title>Two</title><guid>two</guid><link>/episodes/2</link><enclosure url="/talk" type="audio/ogg"/>
				<podcast:transcript url="/two.vtt" type="text/vtt"/></item></channel></rss>`,
		"/chapters": `{"version":"1.2.0","chapters":[{"startTime":0,"title":"Hello"},{"startTime":1,"title":"World"}]}`,
		"/two.vtt":  "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nThe publisher wrote this.\n",
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := answers[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(body))
	}))
	t.Cleanup(site.Close)
	return site
}

// startWithDirect starts a service with the real engines that takes links to a host.
func startWithDirect(t *testing.T, site *httptest.Server, change ...func(*server.Config)) *service {
	t.Helper()
	return startService(t, append([]func(*server.Config){func(c *server.Config) {
		c.DirectMedia = true
		c.Egress.Allow = []string{strings.TrimPrefix(site.URL, "http://")}
		c.Engine = func(h engine.Host) (engine.Engine, error) {
			direct, err := directmedia.New(h, directmedia.Options{})
			return engine.Engine{Direct: direct, Media: ffmpeg.New(h), Recognizer: pocketsphinx.New(h)}, err
		}
	}}, change...)...)
}

func TestDirectLinksBecomeTranscripts(t *testing.T) {
	t.Parallel()
	site := podcast(t)
	s := startWithDirect(t, site)
	for link, want := range map[string]struct {
		source transcript.Origin
		title  string
	}{
		"/talk":       {transcript.OriginASR, "talk"},
		"/feed#one":   {transcript.OriginASR, "One"},
		"/feed#two":   {transcript.OriginPublisher, "Two"},
		"/episodes/2": {transcript.OriginPublisher, "Two"},
	} {
		res, err := s.Transcripts.Get(t.Context(), transcript.Request{Source: transcript.URL(site.URL + link), SendMetadata: true})
		require.NoError(t, err, link)
		tr := res.Transcript
		assert.Equal(t, want.source, tr.Source, link)
		require.NotNil(t, tr.Title, link)
		assert.Equal(t, want.title, *tr.Title, link)
		assert.Equal(t, site.URL+link, *tr.SourceURL, link)
		assert.Equal(t, transcript.Upload, tr.Platform, link)
		require.NotEmpty(t, tr.Segments, link)
		if want.source == transcript.OriginPublisher {
			assert.Equal(t, []transcript.Segment{{Text: "The publisher wrote this.", Start: 1, Duration: 1}}, tr.Segments, link)
			continue
		}
		assert.InDelta(t, 6, *tr.DurationSec, 1, link)
	}
	res, err := s.Transcripts.Get(t.Context(), transcript.Request{Source: transcript.URL(site.URL + "/feed#one"), SendMetadata: true})
	require.NoError(t, err)
	assert.True(t, res.Cached)
	assert.Equal(t, "Talks", *res.Transcript.Channel)
	assert.Equal(t, "Ada", *res.Transcript.CreatorName)
	assert.Equal(t, []transcript.Chapter{{Title: "Hello"}, {Title: "World", Start: 1}}, res.Transcript.Chapters())
	assert.Eventually(t, func() bool { return len(s.leftovers(t)) == 0 }, time.Minute, 10*time.Millisecond, "audio was left behind")

	_, err = s.Transcripts.Get(t.Context(), transcript.Request{Source: transcript.URL(site.URL + "/feed")})
	require.ErrorIs(t, err, transcript.Unavailable)
	assert.ErrorContains(t, err, "feed of 2 items")
	_, err = s.Transcripts.Get(t.Context(), transcript.Request{Source: transcript.URL("http://127.0.0.1:1/talk")})
	require.ErrorIs(t, err, transcript.Unavailable, "the guard stands before direct links too")
}

// The plan's bound for uploads is the bound of a direct link.
func TestDirectLinkBeyondThePlan(t *testing.T) {
	t.Parallel()
	site := podcast(t)
	s := startWithDirect(t, site, func(c *server.Config) {
		plans := account.DefaultPlans()
		small := account.WithoutLimits(plans.Default)
		small.MaxUploadBytes = 1000
		plans.ByName = map[string]account.Plan{plans.Default: small}
		accounts, err := account.New(c.Store, plans)
		require.NoError(t, err)
		c.Accounts = accounts
	})
	_, err := s.Transcripts.Get(t.Context(), transcript.Request{Source: transcript.URL(site.URL + "/talk")})
	require.ErrorIs(t, err, transcript.MediaTooLarge)
	assert.ErrorContains(t, err, "1000 B")
	assert.Eventually(t, func() bool { return len(s.leftovers(t)) == 0 }, time.Minute, 10*time.Millisecond, "audio was left behind")
}

// slowHost serves a recording, and holds the second request, which is that for the sound, in its
// middle.
type slowHost struct {
	body []byte
	held chan struct{} // closed while that request is held

	mu       sync.Mutex
	requests int
}

func (h *slowHost) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	h.requests++
	n := h.requests
	h.mu.Unlock()
	if n != 2 {
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(h.body))
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(h.body)))
	_, _ = w.Write(h.body[:len(h.body)/2]) // the client waits for the rest
	_ = http.NewResponseController(w).Flush()
	close(h.held)
	<-r.Context().Done()
}

// A process that dies in the middle of a download costs the download, and not the job.
func TestKillDuringADownload(t *testing.T) {
	full(t)
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		body, err := os.ReadFile(bursts(t, 20*time.Second))
		require.NoError(t, err)
		host := &slowHost{body: body, held: make(chan struct{})}
		site := httptest.NewServer(host)
		t.Cleanup(site.Close)
		s := newPlace(t, o.Database)
		s.direct = strings.TrimPrefix(site.URL, "http://")
		key := s.makeKey(t)
		addr := freeAddr(t)
		first := s.spawn(t, addr)
		c := newClient(t, first.url, key)
		_, job, err := c.Transcripts.Submit(t.Context(), transcript.Request{Source: transcript.URL(site.URL + "/talk.wav"), Wait: new(time.Duration)})
		require.NoError(t, err)
		select {
		case <-host.held:
		case <-t.Context().Done():
		}
		first.kill()
		s.spawn(t, addr)
		res, err := c.Jobs.Wait(t.Context(), job.JobID)
		require.NoError(t, err)
		assert.Equal(t, 20, *res.Transcript.DurationSec)
		host.mu.Lock()
		defer host.mu.Unlock()
		assert.Equal(t, 3, host.requests, "the link once, and its sound twice")
	})
}
