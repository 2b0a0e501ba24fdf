package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp/release"
)

// knownRelease names, in a process of a test, the file of a release that stands in for the one
// that is compiled in.
const knownRelease = "TRANSCRIPTD_TEST_RELEASE"

// readRelease is the zero value without such a file.
func readRelease() (o release.Options) {
	text, err := os.ReadFile(os.Getenv(knownRelease))
	if err == nil {
		err = json.Unmarshal(text, &o.Known)
	}
	if err != nil {
		return release.Options{} // the tests miss it
	}
	return o
}

func TestYtDlpPull(t *testing.T) {
	t.Parallel()
	file := map[string]string{"linux/amd64": "yt-dlp_linux", "linux/arm64": "yt-dlp_linux_aarch64"}[runtime.GOOS+"/"+runtime.GOARCH]
	if file == "" {
		t.Skip("no executable is published for this system")
	}
	dir, data := t.TempDir(), t.TempDir()
	content := []byte("#!/bin/sh\necho 2026.10.26\n")
	require.NoError(t, os.WriteFile(filepath.Join(dir, file), content, 0o600))
	sum := sha256.Sum256(content)
	known, err := json.Marshal(release.Release{Version: "2026.10.26", SHA256: map[string]string{file: hex.EncodeToString(sum[:])}})
	require.NoError(t, err)
	table := filepath.Join(t.TempDir(), "release.json")
	require.NoError(t, os.WriteFile(table, known, 0o600))
	mirror := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer mirror.Close()
	env := []string{"XDG_DATA_HOME=" + data, knownRelease + "=" + table, "HOME=" + dir}
	there := filepath.Join(data, "transcriptd", "yt-dlp", "yt-dlp")

	code, _, stderr := finish(program(t, env, "yt-dlp", "pull", "--mirror", mirror.URL))
	assert.Equal(t, exitFailure, code)
	assert.Contains(t, stderr, "yt-dlp, release 2026.10.26, by its compiled-in hash: 0.0 MB to come")
	assert.Contains(t, stderr, "from "+mirror.URL+"/"+file)
	assert.Contains(t, stderr, "--yes continues without asking")
	assert.NoFileExists(t, there)

	code, _, stderr = finish(program(t, env, "yt-dlp", "pull", "--yes", "--mirror", mirror.URL))
	assert.Equal(t, exitOK, code, stderr)
	assert.Contains(t, stderr, "yt-dlp 2026.10.26 is installed: "+there)
	assert.FileExists(t, there)
	code, _, stderr = finish(program(t, env, "yt-dlp", "pull"))
	assert.Equal(t, exitOK, code, stderr)
	assert.Contains(t, stderr, "yt-dlp 2026.10.26 is there already: "+there)

	code, _, stderr = finish(program(t, env, "yt-dlp", "pull", "--newest", "--mirror", mirror.URL))
	assert.Equal(t, exitFailure, code)
	assert.Contains(t, stderr, "SHA2-256SUMS from "+mirror.URL+"/SHA2-256SUMS: it answers 404 Not Found: the file is not there: use a mirror that has it")
	mirror.Close()
	code, _, stderr = finish(program(t, env, "yt-dlp", "pull", "--newest", "--mirror", mirror.URL))
	assert.Equal(t, exitFailure, code)
	assert.Contains(t, stderr, "it cannot be reached: ")
	assert.Contains(t, stderr, "set HTTPS_PROXY to a proxy, --mirror to another server, or --file to a local file")
	code, _, stderr = finish(program(t, env, "yt-dlp", "pull", "--folder="))
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, stderr, "--folder: ")
}
