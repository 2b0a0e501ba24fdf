package ytdlp_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp"
)

// The program of the distribution takes headers from links (CVE-2023-46121). All its
// extractors take part with -soak only: each run compiles the patterns of 1,800 sites, and
// none of the pages belongs to such a site.
func TestNoLureLeadsRoundTheGuard(t *testing.T) {
	t.Parallel()
	manyRuns(t)
	program := installed.script("yt-dlp-pages")
	if *soakFlag {
		program = installed.program
	}
	enginetest.Lures(t, func(host engine.Host) engine.CaptionSource {
		d, err := ytdlp.New(host, ytdlp.Options{Program: program})
		require.NoError(t, err)
		return d
	})
}
