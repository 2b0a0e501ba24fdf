package installed_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wheel is a package of Python with nothing in it.
func wheel(t *testing.T) []byte {
	t.Helper()
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	for name, content := range map[string]string{
		"heard.py":                     "words = 3\n",
		"heard-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: heard\nVersion: 1.0\n",
		"heard-1.0.dist-info/WHEEL":    "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
		"heard-1.0.dist-info/RECORD":   "heard.py,,\nheard-1.0.dist-info/METADATA,,\nheard-1.0.dist-info/WHEEL,,\nheard-1.0.dist-info/RECORD,,\n",
	} {
		file, err := archive.Create(name)
		require.NoError(t, err)
		_, err = file.Write([]byte(content))
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	return packed.Bytes()
}

// index serves a package index with the wheel.
func index(t *testing.T, wheel []byte) (url string) {
	t.Helper()
	const file = "/heard-1.0-py3-none-any.whl"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/simple/heard/":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, `<a href="%s">%s</a>`, file, file[1:])
		case file:
			_, _ = w.Write(wheel) // the client may be gone
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/simple"
}

// silent returns the address of an index that takes connections and never answers.
func silent(t *testing.T) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() }) // nothing was read from it
	return "http://" + l.Addr().String() + "/simple"
}

// slow returns the address of an index that always sends another byte.
func slow(t *testing.T) (url string) {
	t.Helper()
	ended := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		for r.Context().Err() == nil {
			_, _ = w.Write([]byte("<!-- -->"))
			if http.NewResponseController(w).Flush() != nil {
				return
			}
			select {
			case <-ended:
				return
			case <-r.Context().Done():
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	}))
	t.Cleanup(func() { close(ended); s.Close() })
	return s.URL + "/simple"
}

// make setup installs an environment as a whole, with the very files whose hashes the repository
// has, or says that it does not and goes on.
func TestInstall(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("/usr/bin/python3"); err != nil {
		t.Skip(err)
	}
	makefile, err := filepath.Abs("../../../.ci/tools.mk")
	require.NoError(t, err)
	for _, of := range []struct{ environment, list, left string }{
		{"whisper", "server/engine/fasterwhisper", "faster-whisper with the model tiny.en and the models of voices (180 MB): speech is recognized by what else is there."},
		{"yt-dlp", "internal/ytdlpenv", "a current yt-dlp: links are read by yt-dlp "},
	} {
		t.Run(of.environment, func(t *testing.T) {
			t.Parallel()
			testInstall(t, makefile, of.environment, of.list, of.left)
		})
	}
}

// testInstall installs an environment from packages of the test. list is the folder of its list of
// hashes, and left the message about what is left without the environment.
func testInstall(t *testing.T, makefile, environment, list, left string) {
	t.Helper()
	built := wheel(t)
	right, wrong := sha256.Sum256(built), sha256.Sum256(nil)
	for name, tt := range map[string]struct {
		index string
		hash  [sha256.Size]byte
		says  string
		whole bool
		most  string // seconds
	}{
		"there":      {index(t, built), right, "", true, "600"},
		"wrong hash": {index(t, built), wrong, "THESE PACKAGES DO NOT MATCH THE HASHES", false, "600"},
		"away":       {"http://127.0.0.1:1/simple", right, "Connection refused", false, "600"},
		"silent":     {silent(t), right, "Read timed out", false, "600"},
		"slow":       {slow(t), right, "", false, "5"},
	} {
		if environment == "yt-dlp" && name != "wrong hash" {
			continue // the same recipe installs both environments, and each installation takes seconds
		}
		if testing.Short() && environment == "whisper" && name != "there" {
			continue // yt-dlp's environment has the wrong hash, and make test-all has the networks that fail
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			hashes := filepath.Join(dir, list, "requirements.txt")
			require.NoError(t, os.MkdirAll(filepath.Dir(hashes), 0o700))
			require.NoError(t, os.WriteFile(hashes, fmt.Appendf(nil, "heard==1.0 --hash=sha256:%x\n", tt.hash), 0o600))
			cmd := exec.CommandContext(t.Context(), "make", "-C", dir, "-f", makefile, "bin/"+environment, "PIP_TIMEOUT=2", "INSTALL_TIME="+tt.most)
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "PIP_CONFIG_FILE=/dev/null", "PIP_NO_CACHE_DIR=1", "PIP_INDEX_URL=" + tt.index}
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "make goes on: %s", out)
			said := strings.Contains(string(out), "\nThe Python package index does not give "+left)
			assert.Equal(t, !tt.whole, said, string(out))
			assert.Contains(t, string(out), tt.says)
			if !tt.whole {
				assert.NoDirExists(t, filepath.Join(dir, "bin", environment), "what is not whole is removed")
				return
			}
			assert.FileExists(t, filepath.Join(dir, "bin", environment, "whole"))
			words, err := exec.CommandContext(t.Context(), filepath.Join(dir, "bin", environment, "bin", "python"), "-I", "-c", "import heard; print(heard.words)").CombinedOutput()
			require.NoError(t, err, string(words))
			assert.Equal(t, "3\n", string(words))
		})
	}
}
