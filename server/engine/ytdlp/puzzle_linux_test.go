package ytdlp_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
)

// TestPuzzleIsSolved: the site delivers media only to a program that runs the player's script.
// The current yt-dlp runs its own solver in a real deno, and both are confined.
func TestPuzzleIsSolved(t *testing.T) {
	t.Parallel()
	if installed.program == "yt-dlp" {
		t.Skip("the distribution's release runs no player")
	}
	media, err := beep()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "beep.mp3")
	require.NoError(t, os.WriteFile(path, media, 0o600))
	site := httptest.NewUnstartedServer(nil)
	base := "http://" + site.Listener.Addr().String()
	catalog := sitetest.NewCatalog(base)
	site.Config.Handler = sitetest.Pages{Catalog: catalog, Media: path, Puzzling: true}.Handler()
	site.Start()
	t.Cleanup(site.Close)
	guard, err := egress.New(egress.Config{Allow: []string{site.Listener.Addr().String()}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, guard.Close()) })
	dir := t.TempDir()
	programs, err := run.New(run.Config{Dir: dir, Guard: guard})
	require.NoError(t, err)
	d := newAtSite(t, engine.Host{Programs: programs, Confined: true, Judge: guard.JudgeLink, Dir: dir}, base, "yt-dlp-site")

	content := catalog.Content(sitetest.TalkID(2))
	content.URL = there(content.URL)
	got, err := d.Audio(t.Context(), content, t.TempDir(), engine.AudioOptions{})
	require.NoError(t, err)
	sound, err := os.ReadFile(got)
	require.NoError(t, err)
	assert.Equal(t, media, sound)
}
