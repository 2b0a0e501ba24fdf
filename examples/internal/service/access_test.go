package service_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
)

// parsed reads the flags of a service.
func parsed(t *testing.T, args ...string) (service.Flags, error) {
	t.Helper()
	var flags service.Flags
	parser, err := kong.New(&flags, service.Vars("transcriptd", "127.0.0.1:0", "0"))
	require.NoError(t, err)
	if _, err := parser.Parse(args); err != nil {
		return flags, err
	}
	return flags, flags.CheckAPI()
}

func TestAccessFlags(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "plugins", "one", "yt_dlp_plugins"), 0o755))
	cookies := filepath.Join(dir, "cookies.txt")
	line := ".youtube.com\tTRUE\t/\tTRUE\t0\tSID\ts3cret\n"
	require.NoError(t, os.WriteFile(cookies, []byte(line), 0o600))
	open := filepath.Join(dir, "open.txt")
	require.NoError(t, os.WriteFile(open, []byte(line), 0o600))
	require.NoError(t, os.Chmod(open, 0o644))
	plugins := "--yt-dlp-plugins=" + filepath.Join(dir, "plugins")

	flags, err := parsed(t, plugins, "--token-provider=http://127.0.0.1:4416", "--cookies=video_site="+cookies,
		"--yt-dlp-extractor-args=youtube:player_client=tv,web;lang=de", "--yt-dlp-extractor-args=other:a=b")
	require.NoError(t, err)
	assert.Equal(t, []string{"youtube:player_client=tv,web;lang=de", "other:a=b"}, flags.YtDlpExtractorArgs)
	setup, err := flags.Setup(t.Context(), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	config, err := setup.Config()
	require.NoError(t, err)
	assert.Contains(t, config.Egress.Deny, "127.0.0.1:4416", "no link reaches the provider")
	assert.NotContains(t, config.Egress.Allow, "127.0.0.1:4416")

	for says, args := range map[string][]string{
		"--cookies: video_site: everybody on this machine": {"--cookies=video_site=" + open},
		`--cookies: "bank" is no platform`:                 {"--cookies=bank=" + cookies},
		"--cookies: video_site is named twice":             {"--cookies=video_site=" + cookies, "--cookies=video_site=" + open},
		"has no cookie for":                                {"--cookies=photo_site=" + cookies},
		"want PLATFORM=FILE":                               {"--cookies=" + cookies},
		"--yt-dlp-plugins: ":                               {"--yt-dlp-plugins=" + dir + "/nothing"},
		"--token-provider: name the folder":                {"--token-provider=http://127.0.0.1:4416"},
		"--token-provider: want http://HOST:PORT":          {plugins, "--token-provider=http://127.0.0.1:4416/path"},
		"--yt-dlp-extractor-args: want IE_KEY:ARGS":        {"--yt-dlp-extractor-args=--exec"},
	} {
		_, err := parsed(t, args...)
		require.ErrorContains(t, err, says)
		assert.NotContains(t, err.Error(), "s3cret")
	}
}
