package ytdlp_test

import (
	"context"
	"flag"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest/sitecatalog"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// atSite is a downloader that is told the video site's own links. What its
// program then asks that site goes to the one of the test.
type atSite struct{ *ytdlp.Downloader }

func (a atSite) Captions(ctx context.Context, c engine.Content, pick func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	c.URL = "https://www.youtube.com/watch?v=" + c.ExternalID
	return a.Downloader.Captions(ctx, c, pick)
}

func (a atSite) List(ctx context.Context, l engine.List, offset, n int) (engine.ListPage, error) {
	l.URL = "https://www.youtube.com/playlist?list=" + l.ID
	return a.Downloader.List(ctx, l, offset, n)
}

// there is a link at the site of the test as the video site has it.
func there(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		panic(err) // it is the suite's own
	}
	u.Scheme, u.Host = "https", "www.youtube.com"
	return u.String()
}

func (a atSite) Videos(ctx context.Context, contents []engine.Content) ([]video.Video, error) {
	contents = slices.Clone(contents)
	for i := range contents {
		contents[i].URL = there(contents[i].URL)
	}
	return a.Downloader.Videos(ctx, contents)
}

func (a atSite) Channel(ctx context.Context, l engine.List) (video.Channel, error) {
	l.URL = there(l.URL)
	return a.Downloader.Channel(ctx, l)
}

func (a atSite) Uploads(ctx context.Context, l engine.List, kind video.Kind, at engine.Window) (engine.Listing[video.Summary], error) {
	l.URL = there(l.URL)
	return a.Downloader.Uploads(ctx, l, kind, at)
}

func (a atSite) Items(ctx context.Context, l engine.List, at engine.Window) (engine.Listing[video.Item], error) {
	l.URL = there(l.URL)
	return a.Downloader.Items(ctx, l, at)
}

func TestConformance(t *testing.T) {
	t.Parallel()
	manyRuns(t)
	enginetest.CaptionSource(t, func(host engine.Host, base string) engine.CaptionSource {
		return newAtSite(t, host, base, "yt-dlp-site")
	})
}

func TestListConformance(t *testing.T) {
	t.Parallel()
	manyRuns(t)
	enginetest.ListSource(t, func(host engine.Host, base string) engine.ListSource { return newAtSite(t, host, base, "yt-dlp-site") })
}

// discoveryBy is discovery by a program of testdata at a site that shows a catalog.
func discoveryBy(t *testing.T, program string, serve func(*sitecatalog.Catalog) http.Handler) enginetest.DiscoveryBackend {
	t.Helper()
	var d engine.Discovery // it remembers nothing but the program's version
	return enginetest.DiscoveryBackend{
		Serve: serve,
		New: func(host engine.Host, base string) engine.Discovery {
			if d == nil {
				d = newAtSite(t, host, base, program)
			}
			return d
		},
		Slow: true,
	}
}

// theRealOne is yt-dlp itself, at a site in the words of the video site.
func theRealOne(t *testing.T) enginetest.DiscoveryBackend {
	t.Helper()
	return discoveryBy(t, "yt-dlp-site", func(c *sitecatalog.Catalog) http.Handler { return sitetest.Pages{Catalog: c}.Handler() })
}

func TestDiscoveryConformance(t *testing.T) {
	t.Parallel()
	enginetest.Discovery(t, discoveryBy(t, "yt-dlp-catalog", serveProgram))
}

var soakFlag = flag.Bool("soak", false, "also run the tests that take minutes (make soak)")

// A question takes the program a second, and the suite has a few hundred.
func TestSoakDiscoveryConformance(t *testing.T) {
	t.Parallel()
	if !*soakFlag {
		t.Skip("takes minutes: make soak")
	}
	enginetest.Discovery(t, theRealOne(t))
}

// Some of the suite without soak: what the program reads from pages.
func TestDiscoveryByTheRealProgram(t *testing.T) {
	t.Parallel()
	manyRuns(t)
	site := enginetest.NewDiscoverySite(t, theRealOne(t))
	for _, c := range enginetest.DiscoveryChecks() {
		if slices.Contains([]string{"finds channels and playlists", "tells of videos", "holds the positions of a playlist"}, c.Name) {
			t.Run(c.Name, func(t *testing.T) { c.Run(t, site) })
		}
	}
}

func newAtSite(t testing.TB, host engine.Host, base, name string, o ...ytdlp.Options) atSite {
	t.Helper()
	dir := filepath.Join(t.TempDir(), strings.TrimPrefix(base, "http://"))
	require.NoError(t, os.Mkdir(dir, 0o700))
	program := filepath.Join(dir, "yt-dlp")
	require.NoError(t, os.Symlink(installed.script(name), program))
	options := append(o, ytdlp.Options{})[0]
	options.Program = program
	d, err := ytdlp.New(host, options)
	require.NoError(t, err)
	return atSite{d}
}
