package main_test

import (
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The image is small, and has no shell and no file that its user can write. One folder is the
// user's: the volume.
func TestImageOfTheAPI(t *testing.T) {
	t.Parallel()
	i := unpacked(t, only(t, "transcriptkit-api_*.oci.tar"))
	root, config := i.root(), i.config
	assert.Equal(t, "65532:65532", config.User)
	assert.Equal(t, []string{"/usr/bin/transcriptd"}, config.Entrypoint)
	assert.Equal(t, []string{"serve", "--role", "api"}, config.Cmd)
	assert.Equal(t, map[string]struct{}{"/var/lib/transcriptd": {}}, config.Volumes)
	assert.Equal(t, []string{"CMD", "/usr/bin/transcriptd", "healthcheck"}, config.Healthcheck.Test)

	var bytes int64
	var files, writable []string
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := entry.Info()
		require.NoError(t, err)
		name := strings.TrimPrefix(path, root)
		owner := info.Sys().(*syscall.Stat_t) //nolint:forcetypeassert // it is one on Linux
		if owner.Uid == 65532 || owner.Gid == 65532 || info.Mode().Perm()&0o022 != 0 || info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 {
			writable = append(writable, name)
		}
		if info.Mode().IsRegular() {
			files, bytes = append(files, name), bytes+info.Size()
		}
		return nil
	}))
	assert.Equal(t, []string{"/etc/group", "/etc/passwd", "/etc/ssl/certs/ca-certificates.crt", "/usr/bin/transcriptd"}, files)
	assert.Less(t, bytes, int64(60_000_000))
	t.Logf("the image has %d bytes", bytes)
	if os.Getuid() == 0 { // else umoci cannot give files to others
		assert.Equal(t, []string{"/var/lib/transcriptd"}, writable)
	}
}

// publisher serves a feed with one episode and its text, and returns the address of the server and the
// link to the episode.
func publisher(t *testing.T) (addr, link string) {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/feed.xml":
			w.Header().Set("Content-Type", "application/rss+xml")
			_, _ = io.WriteString(w, `<rss version="2.0" xmlns:podcast="https://podcastindex.org/namespace/1.0"><channel><title>Talks</title><item><title>One</title><guid>one</guid>
				<enclosure url="/one.mp3" type="audio/mpeg"/><podcast:transcript url="/one.vtt" type="text/vtt"/></item></channel></rss>`) // the service tells
		case "/one.vtt":
			w.Header().Set("Content-Type", "text/vtt")
			_, _ = io.WriteString(w, "WEBVTT\n\n00:00.000 --> 00:02.000\nhello container\n") // as above
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(site.Close)
	return site.Listener.Addr().String(), site.URL + "/feed.xml#one"
}

// freePort returns a port of this machine that was free.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	return port
}

// In a container the service has no right that it does not need, and is healthy. It makes a text,
// drains, and its volume keeps the text.
func TestImageRunsInAContainer(t *testing.T) {
	t.Parallel()
	api := unpacked(t, only(t, "transcriptkit-api_*.oci.tar"))
	addr, link := publisher(t)
	volume := t.TempDir()
	require.NoError(t, os.Chown(volume, 65532, 65532))
	port := freePort(t)
	env := []string{"TRANSCRIPTD_LISTEN=:" + port, "TRANSCRIPTD_DB=sqlite:/var/lib/transcriptd/transcriptd.db", "TRANSCRIPTD_BLOBS=/var/lib/transcriptd/blobs"}
	args := []string{"serve", "--asr", "none", "--direct-media", "--allow-egress", addr, "--drain-delay", "0s"}

	s := newContainer(t, api, volume, env, args...).start()
	for line, want := range map[string]string{
		"Uid": "65532 65532 65532 65532", "Gid": "65532 65532 65532 65532", "Groups": "", "NoNewPrivs": "1",
		"CapInh": "0000000000000000", "CapPrm": "0000000000000000", "CapEff": "0000000000000000", "CapBnd": "0000000000000000", "CapAmb": "0000000000000000",
	} {
		assert.Equal(t, want, s.status(line), line)
	}
	s.inside(api.config.Healthcheck.Test[1:]...)
	s.inside("/usr/bin/transcriptd", "accounts", "set", "acme")
	key := s.inside("/usr/bin/transcriptd", "keys", "create", "--account", "acme", "--name", "laptop", "--scopes", "transcripts")
	ask := func() string {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:"+port+"/v1/transcript",
			strings.NewReader(fmt.Sprintf(`{"url": %q, "waitMs": 10000}`, link)))
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+key)
		request.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		answer, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return string(answer)
	}
	require.Eventually(t, func() bool { return strings.Contains(ask(), "hello container") }, time.Minute, 50*time.Millisecond)
	s.stop()

	s = newContainer(t, api, volume, env, args...).start()
	assert.Contains(t, ask(), "hello container", "from the volume: the publisher is gone")
	s.stop()
	said, err := newContainer(t, api, volume, env, api.config.Healthcheck.Test[2:]...).command().CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(said), "--listen: ")
}

// A volume in which the user of the image cannot write is refused, with what to do about it.
func TestImageRefusesAForeignVolume(t *testing.T) {
	t.Parallel()
	api := unpacked(t, only(t, "transcriptkit-api_*.oci.tar"))
	said, err := newContainer(t, api, t.TempDir(), nil, "serve", "--asr", "none").command().CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(said), "the rights do not permit it: change them, or name another path")
}
