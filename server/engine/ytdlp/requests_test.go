package ytdlp_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// visits are the paths that a site is asked for.
type visits struct {
	http.Handler
	mu    sync.Mutex
	paths []string
}

func (v *visits) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v.mu.Lock()
	v.paths = append(v.paths, r.URL.Path)
	v.mu.Unlock()
	v.Handler.ServeHTTP(w, r)
}

// take returns the paths since the last call.
func (v *visits) take() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	defer func() { v.paths = nil }()
	return slices.Clone(v.paths)
}

// Captions take one request to the page and one to the track, on a site whose media only a
// program gets that runs the player. Missing captions are proved by the page alone. Sound takes
// more.
func TestRequestsForCaptions(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(nil)
	base := "http://" + server.Listener.Addr().String()
	catalog := sitetest.NewCatalog(base)
	site := &visits{Handler: sitetest.Pages{Catalog: catalog, Puzzling: true, Says: func(id string, said map[string]any) {
		if id == sitetest.TalkID(3) {
			delete(said, "captions")
		}
	}}.Handler()}
	server.Config.Handler = site
	server.Start()
	t.Cleanup(server.Close)
	guard, err := egress.New(egress.Config{Allow: []string{server.Listener.Addr().String()}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, guard.Close()) })
	dir := t.TempDir()
	programs, err := run.New(run.Config{Dir: dir, Guard: guard})
	require.NoError(t, err)
	counted := &runCounter{Runner: programs}
	d := newAtSite(t, engine.Host{Programs: counted, Confined: true, Judge: guard.JudgeLink, Dir: dir}, base, "yt-dlp-site")
	_, err = d.Version(t.Context())
	require.NoError(t, err)
	ask := func(n int) (engine.Captions, []string, int64) {
		before := counted.runs.Load()
		found, err := d.Captions(t.Context(), catalog.Content(sitetest.TalkID(n)), func([]transcript.Track) (int, bool) { return 0, true })
		require.NoError(t, err)
		return found, site.take(), counted.runs.Load() - before
	}

	found, paths, runs := ask(2)
	assert.NotEmpty(t, found.Segments)
	assert.Equal(t, []string{"/watch", "/api/timedtext"}, paths)
	assert.Equal(t, int64(2), runs)

	found, paths, runs = ask(3)
	assert.Empty(t, found.Tracks)
	assert.Equal(t, []string{"/watch"}, paths)
	assert.Equal(t, int64(1), runs)

	content := catalog.Content(sitetest.TalkID(2))
	content.URL = there(content.URL)
	_, err = d.Audio(t.Context(), content, t.TempDir(), engine.AudioOptions{})
	require.Error(t, err) // the site has no media
	assert.Greater(t, len(site.take()), 2)
}
