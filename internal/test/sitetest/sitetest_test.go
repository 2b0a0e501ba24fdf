package sitetest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
)

func TestSite(t *testing.T) {
	t.Parallel()
	media := filepath.Join(t.TempDir(), "media")
	require.NoError(t, os.WriteFile(media, []byte("sound"), 0o600))
	site := sitetest.New(media)
	server := httptest.NewServer(site)
	t.Cleanup(server.Close)
	get := func(path string) (int, string) {
		res, err := http.Get(server.URL + path)
		require.NoError(t, err)
		defer func() { _ = res.Body.Close() }()
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		return res.StatusCode, string(body)
	}

	code, body := get(sitetest.Watch(sitetest.TwoTracks))
	assert.Equal(t, http.StatusOK, code)
	assert.Contains(t, body, `<track kind="subtitles" srclang="en" label="English" src="/en.vtt">`)
	_, body = get("/media")
	assert.Equal(t, "sound", body)
	_, body = get("/de.vtt")
	assert.Equal(t, sitetest.VTT("de"), body)
	for id, want := range map[string]int{"nobody-here": 404, "status-none": 200, sitetest.Status(403): 403, sitetest.Status(503): 503} {
		assert.Len(t, id, 11)
		code, _ = get(sitetest.Watch(id))
		assert.Equal(t, want, code, id)
	}
	for does, id := range site.Lures("127.0.0.1:9") {
		assert.Len(t, id, 11, does)
	}
	assert.Equal(t, 1, site.Requests("/media"))
	assert.Equal(t, 1, site.Requests("/watch?v="+sitetest.TwoTracks))
	assert.Zero(t, site.Requests("/watch?v="+sitetest.NoTracks))
}
