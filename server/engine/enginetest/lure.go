package enginetest

import (
	"context"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Lures tests a source that reads any page. It makes the source read pages with links
// to a private address, which try to make the source's program bypass the egress guard.
// Lures runs twice: on a host that confines programs with the kernel, and on a host
// that does not (see [engine.Host]). No request may reach the private address, and no
// such page may yield a result. An honest page yields its one caption track, or
// CONFIG_ERROR if the source refuses to work unconfined.
//
// Lures logs the number of lures, and of connections to the private address.
func Lures(t *testing.T, source func(host engine.Host) engine.CaptionSource) {
	t.Helper()
	for name, confined := range map[string]bool{"confined": true, "not confined": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := NewSite(t)
			host := site.host(t, confined)
			if host.Confined != confined {
				t.Skip("this system confines no programs")
			}
			site.lure(t, source(host), confined)
		})
	}
}

// honest is the name of the page without a lure.
const honest = "honest"

// lure asks a source for the honest page and then for every lure. If the source refuses the
// honest page unread, one lure is enough: no page can lead a source that reads no page.
func (s *Site) lure(t *testing.T, source engine.CaptionSource, confined bool) {
	s.askLure(t, source, honest, confined)
	names := slices.Collect(maps.Keys(s.lures()))
	names = slices.DeleteFunc(names, func(name string) bool { return name == honest })
	reads := s.lured.Load() > 0
	if !reads {
		names = names[:1]
	}
	places := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for _, name := range names {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			s.askLure(t, source, name, confined)
		})
	}
	all.Wait()
	assert.Equal(t, reads, s.lured.Load() > 0, "a source that refuses the honest page reads another page")
	assert.Zero(t, s.reached.Load(), "connections to a private address")
	t.Logf("enginetest: %d lures, %d connections to a private address", len(names), s.reached.Load())
}

// askLure asks a source for the page of that name and judges the answer.
func (s *Site) askLure(t *testing.T, source engine.CaptionSource, name string, confined bool) {
	ctx, cancel := context.WithTimeout(t.Context(), enough)
	defer cancel()
	content := engine.Content{Platform: transcript.VideoSite, ExternalID: name, URL: s.URL + "/lure/" + name}
	found, err := source.Captions(ctx, content, func([]transcript.Track) (int, bool) { return 0, true })
	var e *transcript.Error
	switch {
	case name == honest && err == nil:
		assert.Len(t, found.Tracks, 1, name)
		assert.Len(t, found.Segments, 2, name)
	case err == nil && len(found.Tracks) == 0: // its media is the lure
		if audio, ok := source.(engine.AudioSource); ok {
			_, err = audio.Audio(ctx, content, t.TempDir(), engine.AudioOptions{})
			assert.Error(t, err, name)
		}
	case !assert.ErrorAs(t, err, &e, name):
	case name == honest:
		assert.False(t, confined, "%s: %v", name, err)
		assert.Equal(t, transcript.ConfigError, e.Code, "%s: %v", name, err)
	default:
		assert.Contains(t, []transcript.Code{transcript.UpstreamFailed, transcript.Unavailable, transcript.ConfigError}, e.Code, "%s: %v", name, err)
	}
}

// serveLure answers a request for the page at /lure/NAME.
func (s *Site) serveLure(w http.ResponseWriter, r *http.Request) {
	s.lured.Add(1)
	name, _ := strings.CutPrefix(r.URL.Path, "/lure/")
	if name == "track.vtt" {
		answer{"text/vtt; charset=utf-8", sitetest.VTT("en")}.send(w)
		return
	}
	page, ok := s.lures()[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	page.header(w.Header())
	if page.status != 0 {
		w.WriteHeader(page.status)
	}
	page.send(w)
}

// lurePage is an answer with headers and a status; 0 means 200.
type lurePage struct {
	answer
	headers map[string]string
	status  int
}

func (p lurePage) header(h http.Header) {
	for key, value := range p.headers {
		h.Set(key, value)
	}
}

// lures returns the pages by their names. Each page carries the link in another way.
func (s *Site) lures() map[string]lurePage {
	private := s.private.Addr().String()
	link := smuggled("http://"+private+"/secret.vtt?x", object{"Ytdl-request-proxy": "__noproxy__"})
	quoted, jsoned := html.EscapeString(link), sitetest.JSON(link)
	ld := func(key, link string) string {
		return `<script type="application/ld+json">{"@context":"https://schema.org","@type":"VideoObject","name":"x","` + key + `":` + link + `}</script>`
	}
	rss := func(item string) lurePage {
		return lurePage{answer: answer{"application/rss+xml", `<?xml version="1.0"?><rss version="2.0"><channel><title>x</title><item><title>y</title>` +
			item + `</item></channel></rss>`}}
	}
	pages := map[string]lurePage{
		"rss-enclosure":  rss(`<enclosure url="` + quoted + `" type="audio/mpeg"/>`),
		"rss-link":       rss(`<link>` + quoted + `</link>`),
		"refresh-header": {answer: htmlPage(""), headers: map[string]string{"Refresh": "0; URL=" + link}},
		"redirect":       {answer: htmlPage(""), headers: map[string]string{"Location": link}, status: http.StatusFound},
		"playlist": {answer: answer{"application/vnd.apple.mpegurl", "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n" + link + "\n" +
			"#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"s\",NAME=\"x\",LANGUAGE=\"en\",URI=\"" + link + "\"\n"}},
	}
	for name, body := range map[string]string{
		"refresh":            refresh(link),
		"refresh-by-proxy":   refresh(smuggled("http://example.com/", object{"Ytdl-request-proxy": "http://" + private})),
		"refresh-by-socks":   refresh(smuggled("http://example.com/", object{"Ytdl-socks-proxy": "socks5://" + private})),
		"refresh-other-case": refresh(smuggled("http://"+private+"/", object{"YTDL-REQUEST-PROXY": "__noproxy__"})),
		"player":             `<meta name="twitter:player" content="` + quoted + `">`,
		"player-stream":      `<meta name="twitter:player:stream" content="` + quoted + `">`,
		"open-graph":         `<meta property="og:video" content="` + quoted + `"><meta property="og:video:type" content="video/mp4">`,
		"json-ld-content":    ld("contentUrl", jsoned),
		"json-ld-embed":      ld("embedUrl", jsoned),
		"video":              `<video src="` + quoted + `"></video>`,
		"source":             `<video><source src="` + quoted + `" type="video/mp4"></video>`,
		"caption-track":      `<video src="/media"><track kind="subtitles" srclang="en" src="` + quoted + `"></video>`,
		"embedded":           `<iframe src="` + quoted + `"></iframe><embed src="` + quoted + `">`,
		"script":             `<script>jwplayer("x").setup({"file":` + jsoned + `,"title":"x"});</script>`,
		honest:               `<video src="/media"><track kind="subtitles" srclang="en" src="/lure/track.vtt"></video>`,
	} {
		pages[name] = lurePage{answer: htmlPage(body)}
	}
	return pages
}

func htmlPage(body string) answer {
	return answer{"text/html; charset=utf-8", "<!doctype html><html><head><title>A talk</title>" + body + "</head><body></body></html>"}
}

func refresh(link string) string {
	return fmt.Sprintf(`<meta http-equiv="refresh" content="0; URL='%s'">`, html.EscapeString(link))
}

// smuggled returns a link in the form that yt-dlp's own extractors pass among each other: with
// the headers of the request in its fragment.
func smuggled(link string, headers object) string {
	return link + "#" + url.Values{"__youtubedl_smuggle": {sitetest.JSON(object{"http_headers": headers})}}.Encode()
}
