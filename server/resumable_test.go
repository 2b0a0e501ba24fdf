package server_test

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/resumable"
)

// rawFile is the header of a body that is a recording.
var rawFile = header("Content-Type", "audio/mpeg")

// complete tells whether the body is the end of the file.
func complete(value bool) change { return header(resumable.Complete, resumable.Bool(value)) }

// begin begins an upload with the first bytes of a file, and returns its path.
func (s *service) begin(t testing.TB, first string, changes ...change) (path string) {
	t.Helper()
	a := s.do(t, http.MethodPost, "/v1/transcript?waitMs=10000", strings.NewReader(first), append([]change{rawFile, complete(false)}, changes...)...)
	require.Equal(t, http.StatusCreated, a.StatusCode, a.body)
	require.Equal(t, "?0", a.Header.Get(resumable.Complete))
	return a.Header.Get("Location")
}

// appendTo sends the next bytes of an upload.
func (s *service) appendTo(t testing.TB, path string, offset int, body string, last bool, changes ...change) *answer {
	t.Helper()
	return s.do(t, http.MethodPatch, path, strings.NewReader(body), append([]change{
		header("Content-Type", resumable.Partial), header(resumable.Offset, strconv.Itoa(offset)), complete(last),
	}, changes...)...)
}

// externalID is the id of a file.
func externalID(file string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(file)))[:32] }

func TestUploadInParts(t *testing.T) {
	t.Parallel()
	s := start(t)
	path := s.begin(t, "the ")
	a := s.do(t, http.MethodHead, path, nil)
	require.Equal(t, http.StatusNoContent, a.StatusCode)
	assert.Equal(t, "4", a.Header.Get(resumable.Offset))
	assert.Equal(t, "?0", a.Header.Get(resumable.Complete))
	assert.Empty(t, a.Header.Get(resumable.Length))
	assert.Equal(t, "no-store", a.Header.Get("Cache-Control"))

	a = s.appendTo(t, path, 4, "whole ", false)
	require.Equal(t, http.StatusNoContent, a.StatusCode, a.body)
	assert.Equal(t, "10", a.Header.Get(resumable.Offset))

	a = s.appendTo(t, path, 10, "file", true)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	assert.Equal(t, "?1", a.Header.Get(resumable.Complete))
	assert.Equal(t, externalID("the whole file"), a.object(t)["transcript"].(map[string]any)["externalId"])
	s.nothingLeft(t)

	a = s.appendTo(t, path, 14, "", true)
	require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
	assert.Equal(t, "?1", a.Header.Get(resumable.Complete))
}

func TestRawBody(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, changes := range map[string][]change{
		"without headers of uploads": {rawFile},
		"that can be resumed":        {rawFile, complete(true)},
		"of unknown length":          {rawFile, complete(true), func(r *http.Request) { r.Body, r.ContentLength = io.NopCloser(r.Body), -1 }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := s.do(t, http.MethodPost, "/v1/transcript?waitMs=10000", strings.NewReader(name), changes...)
			require.Equal(t, http.StatusOK, a.StatusCode, a.body)
			assert.Equal(t, externalID(name), a.object(t)["transcript"].(map[string]any)["externalId"])
		})
	}
	t.Cleanup(func() { s.nothingLeft(t) })
}
