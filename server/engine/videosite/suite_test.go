package videosite_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
	"github.com/transcriptkit/transcriptkit/server/engine/videosite"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	enginetest.CaptionSource(t, func(host engine.Host, base string) engine.CaptionSource {
		route, err := videosite.New(host, videosite.Options{Base: base})
		require.NoError(t, err)
		return route
	})
}
