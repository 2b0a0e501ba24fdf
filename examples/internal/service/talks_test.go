package service_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

func serveTalks(t *testing.T) *service.Talks {
	t.Helper()
	s, err := service.ServeTalks(t.Context(), "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

func get(t *testing.T, link, bytes string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, link, nil)
	require.NoError(t, err)
	if bytes != "" {
		req.Header.Set("Range", "bytes="+bytes)
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, string(text)
}

// A link to a moment of the talk, as the platform table makes it, plays it from there.
func TestLinksToMoments(t *testing.T) {
	t.Parallel()
	s := serveTalks(t)
	table, err := s.Among(site.Default())
	require.NoError(t, err)
	for _, link := range []string{s.Link(), s.Recording()} {
		found, err := table.Detect(link)
		require.NoError(t, err)
		assert.Equal(t, link, found.URL)
		at, err := table.At(found.Platform, found.ExternalID, 23)
		require.NoError(t, err)
		status, page := get(t, at, "")
		assert.Equal(t, http.StatusOK, status)
		assert.Contains(t, page, `src="/talk.ogg#t=23"`)
		_, page = get(t, link, "")
		assert.Contains(t, page, `src="/talk.ogg"`)
	}
	real, err := table.Content(transcript.VideoSite, "dQw4w9WgXcQ")
	require.NoError(t, err)
	assert.Equal(t, "https://www.youtube.com/watch?v=dQw4w9WgXcQ", real.URL)
}

func TestPages(t *testing.T) {
	t.Parallel()
	s := serveTalks(t)
	_, page := get(t, s.Link(), "")
	assert.Contains(t, page, "<track")
	_, page = get(t, s.Recording(), "")
	assert.NotContains(t, page, "<track")
	base := "http://" + s.Addr()
	for _, lang := range []string{"en", "de"} {
		_, text := get(t, base+"/talk."+lang+".vtt", "")
		file, err := caption.ReadAny(strings.NewReader(text))
		require.NoError(t, err)
		assert.Len(t, file.Segments, 9, lang)
	}
	status, part := get(t, base+"/talk.ogg", "0-3")
	assert.Equal(t, http.StatusPartialContent, status)
	assert.Equal(t, "OggS", part)
	for _, nothing := range []string{"/", "/watch", "/watch?v=dQw4w9WgXcQ", "/talk.html"} {
		status, _ := get(t, base+nothing, "")
		assert.Equal(t, http.StatusNotFound, status, nothing)
	}
	_, page = get(t, s.Link()+`&t=">x`, "")
	assert.Contains(t, page, `src="/talk.ogg"`, "no number: from the start")
}
