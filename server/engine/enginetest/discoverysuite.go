package enginetest

import (
	"context"
	"net/http"
	"sync"
	"testing"

	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest/sitecatalog"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// DiscoveryBackend is a Discovery to test, together with its fake site.
type DiscoveryBackend struct {
	// Serve returns a handler that answers like the site, in the site's own format,
	// with the content of a catalog. The test damages some of the handler's answers.
	Serve func(c *sitecatalog.Catalog) http.Handler
	// New returns the Discovery for the site at base, which host can reach. New is called many
	// times.
	New func(host engine.Host, base string) engine.Discovery
	// Slow says that a request takes long, for example because it starts a program.
	// Then the test makes each kind of damage once, with some request, and reads lists
	// with fewer page sizes. Otherwise it makes every kind of damage with every
	// request.
	Slow bool
}

// DiscoveryCheck is a test for a Discovery. Run tests requests to site.
type DiscoveryCheck struct {
	Name string
	Run  func(t T, site *DiscoverySite)
}

// Discovery runs every check of [DiscoveryChecks] as a subtest. It logs how many
// requests got a damaged answer.
func Discovery(t *testing.T, b DiscoveryBackend) {
	t.Helper()
	site := NewDiscoverySite(t, b)
	for _, c := range DiscoveryChecks() {
		t.Run(c.Name, func(t *testing.T) { c.Run(t, site) })
	}
	t.Logf("enginetest: %d questions met one of %d troubles", site.met, len(troubles()))
}

// DiscoveryChecks returns the tests that [Discovery] runs.
func DiscoveryChecks() []DiscoveryCheck {
	return []DiscoveryCheck{
		{"trouble is never an answer", troubleIsNoAnswer},
		{"finds videos", findsVideos},
		{"finds channels and playlists", findsOthers},
		{"tells of videos", tellsOfVideos},
		{"tells of channels", tellsOfChannels},
		{"lists uploads to the end", listsUploads},
		{"holds the positions of a playlist", holdsPositions},
		{"knows what is empty", knowsEmpty},
		{"knows what is not there", knowsMissing},
		{"refuses a page that is none", refusesPages},
		{"serves many at once", servesManyQuestions},
		{"discovery stops when told", discoveryStops},
	}
}

// DiscoverySite is a fake of the video site on loopback. It serves a [sitecatalog.Catalog] in the format of
// a [DiscoveryBackend].
type DiscoverySite struct {
	*sitecatalog.Catalog
	site    *Site // the site's address, and the private address
	backend DiscoveryBackend
	host    engine.Host
	met     int // questions that met a trouble

	mu      sync.Mutex
	asked   int           // requests of the current question
	at      int           // the request that meets the trouble, counted from 1; 0 means none
	of      trouble       // the trouble
	reached chan struct{} // closed when that request arrives
}

// NewDiscoverySite starts a site, which ends with the test.
func NewDiscoverySite(t testing.TB, b DiscoveryBackend) *DiscoverySite {
	t.Helper()
	s := &DiscoverySite{backend: b}
	var serve http.Handler
	s.site = newSite(t, true, func(plain *Site) http.Handler {
		s.site = plain
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.answer(w, r, serve) })
	})
	s.Catalog = sitetest.NewCatalog(s.site.URL)
	serve = b.Serve(s.Catalog)
	s.host = s.site.Host(t)
	return s
}

// source returns a fresh Discovery, which remembers nothing.
func (s *DiscoverySite) source() engine.Discovery { return s.backend.New(s.host, s.site.URL) }

// question is one call of any method of a Discovery.
type question struct {
	name string
	ask  func(ctx context.Context, d engine.Discovery) (any, error)
}

// after holds the tokens of the second pages of some lists.
type after struct{ search, uploads, items string }

// questions returns one question of each kind, and questions for second pages.
func (s *DiscoverySite) questions(next after) []question {
	search := func(at engine.Window) func(context.Context, engine.Discovery) (any, error) {
		return func(ctx context.Context, d engine.Discovery) (any, error) {
			return d.Search(ctx, video.Search{Q: "talk", Type: video.TypeVideo, Order: video.ByRelevance}, at)
		}
	}
	uploads := func(at engine.Window) func(context.Context, engine.Discovery) (any, error) {
		return func(ctx context.Context, d engine.Discovery) (any, error) {
			return d.Uploads(ctx, s.ListOf("@talks"), video.All, at)
		}
	}
	items := func(at engine.Window) func(context.Context, engine.Discovery) (any, error) {
		return func(ctx context.Context, d engine.Discovery) (any, error) {
			return d.Items(ctx, s.ListOf(sitetest.TalksPlaylist), at)
		}
	}
	return []question{
		{"search", search(engine.Window{Max: 10})},
		{"videos", func(ctx context.Context, d engine.Discovery) (any, error) {
			return d.Videos(ctx, []engine.Content{s.Content(sitetest.TalkID(4)), s.Content(sitetest.RemovedVideo)})
		}},
		{"channel", func(ctx context.Context, d engine.Discovery) (any, error) { return d.Channel(ctx, s.ListOf("@talks")) }},
		{"uploads", uploads(engine.Window{Max: 10})},
		{"items", items(engine.Window{Max: 10})},
		{"search, second page", search(engine.Window{After: next.search, Max: 10})},
		{"uploads, second page", uploads(engine.Window{After: next.uploads, Max: 10})},
		{"items, second page", items(engine.Window{After: next.items, Max: 10})},
	}
}
