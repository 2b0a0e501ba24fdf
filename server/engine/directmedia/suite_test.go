package directmedia_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/directmedia"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	enginetest.Direct(t, func(host engine.Host) engine.DirectSource {
		s, err := directmedia.New(host, directmedia.Options{})
		require.NoError(t, err)
		return s
	})
}
