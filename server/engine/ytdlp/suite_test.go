package ytdlp_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp"
	"github.com/transcriptkit/transcriptkit/transcript"
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

func TestConformance(t *testing.T) {
	t.Parallel()
	enginetest.CaptionSource(t, func(host engine.Host, base string) engine.CaptionSource { return newAtSite(t, host, base) })
}

func TestListConformance(t *testing.T) {
	t.Parallel()
	enginetest.ListSource(t, func(host engine.Host, base string) engine.ListSource { return newAtSite(t, host, base) })
}

func newAtSite(t *testing.T, host engine.Host, base string) atSite {
	t.Helper()
	dir := filepath.Join(t.TempDir(), strings.TrimPrefix(base, "http://"))
	require.NoError(t, os.Mkdir(dir, 0o700))
	script, err := filepath.Abs("testdata/yt-dlp-site")
	require.NoError(t, err)
	program := filepath.Join(dir, "yt-dlp")
	require.NoError(t, os.Symlink(script, program))
	d, err := ytdlp.New(host, ytdlp.Options{Program: program})
	require.NoError(t, err)
	return atSite{d}
}
