package service_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
)

func TestExecutable(t *testing.T) {
	t.Parallel()
	here, err := os.Getwd()
	require.NoError(t, err)
	for given, want := range map[string]string{
		"yt-dlp":          "yt-dlp",
		"/opt/yt-dlp":     "/opt/yt-dlp",
		"./yt-dlp":        filepath.Join(here, "yt-dlp"),
		"../tools/yt-dlp": filepath.Join(filepath.Dir(here), "tools", "yt-dlp"),
	} {
		var got service.Executable
		require.NoError(t, got.UnmarshalText([]byte(given)))
		assert.Equal(t, want, string(got))
	}
}
