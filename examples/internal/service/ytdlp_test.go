package service_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp/release"
)

// The checkout's release comes before the pulled one, and the pulled one before the system's.
func TestYtDlp(t *testing.T) {
	t.Parallel()
	if !release.Supported() {
		t.Skip("no executable is published for this system")
	}
	const own, pulled, system = "/src/bin/yt-dlp/bin/yt-dlp", "/home/yt-dlp/yt-dlp", "yt-dlp"
	for _, c := range []struct {
		checkout, own, pulled string
		first                 string
		cures                 map[string]string
	}{
		{"/src", own, pulled, own, map[string]string{
			own: "git -C /src pull && make -C /src setup", pulled: "leave --yt-dlp out: make setup has installed a current release",
		}},
		{"/src", "", pulled, pulled, map[string]string{pulled: "make -C /src setup", "/opt/x": "make -C /src setup, and leave --yt-dlp out"}},
		{"/src", "", "", system, map[string]string{system: "make -C /src setup"}},
		{"", "", pulled, pulled, map[string]string{
			pulled: "transcriptd yt-dlp pull --newest", system: "transcriptd yt-dlp pull --newest, and leave --yt-dlp out",
		}},
		{"", "", "", system, map[string]string{system: "transcriptd yt-dlp pull --newest"}},
	} {
		first, origin, cure := service.YtDlpAt(c.checkout, c.own, c.pulled)
		assert.Equal(t, c.first, first)
		for program, want := range c.cures {
			assert.Equal(t, want, cure(program), program)
		}
		assert.Equal(t, map[string]string{
			own: "installed by make setup", pulled: "downloaded by transcriptd yt-dlp pull", system: service.OfSystem,
		}[first], origin(first))
		assert.Equal(t, "named by --yt-dlp", origin("/opt/x"))
	}
}

// The pulled release is used if the checkout has none.
func TestYtDlpHere(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	assert.NotEqual(t, "downloaded by transcriptd yt-dlp pull", service.YtDlpOrigin(service.YtDlp()), "nothing was pulled")
	folder := service.YtDlpFolder()
	keep(t, folder+"/yt-dlp")
	assert.Equal(t, "downloaded by transcriptd yt-dlp pull", service.YtDlpOrigin(folder+"/yt-dlp"))
	if first := service.YtDlp(); service.YtDlpOrigin(first) != "installed by make setup" {
		assert.Equal(t, folder+"/yt-dlp", first)
	}
}

// keep makes a file, and its folder.
func keep(t *testing.T, path string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, nil, 0o700))
}
