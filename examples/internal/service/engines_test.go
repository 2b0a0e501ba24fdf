package service_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/server/engine"
)

func TestEachCureOnce(t *testing.T) {
	t.Parallel()
	found := []engine.Finding{{Name: "yt-dlp", Cure: "install it"}, {Name: "curl"}, {Name: "imitation", Cure: "install it"}, {Name: "ffmpeg"}}
	assert.Equal(t, []engine.Finding{{Name: "yt-dlp", Cure: "install it"}, {Name: "curl"}, {Name: "imitation", Cure: "as for yt-dlp"}, {Name: "ffmpeg"}},
		service.EachCureOnce(found))
	assert.Equal(t, "install it", found[2].Cure, "what was handed in is as it was")
}
