package ytdlp_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp"
)

// The program of the distribution takes headers from links (CVE-2023-46121).
func TestNoLureLeadsRoundTheGuard(t *testing.T) {
	t.Parallel()
	enginetest.Lures(t, func(host engine.Host) engine.CaptionSource {
		d, err := ytdlp.New(host, ytdlp.Options{})
		require.NoError(t, err)
		return d
	})
}
