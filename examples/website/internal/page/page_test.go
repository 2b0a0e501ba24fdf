package page_test

import (
	"io"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
)

// No page reads more than its forms have, whatever it is sent, and what it has read does
// not stay on the disk.
func TestPagesReadNoMoreThanTheirForms(t *testing.T) { //nolint:paralleltest // of the environment
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder) // where forms that are large are kept while they are read
	s := newSite(t, visitor.User)
	const begin = "--edge\r\nContent-Disposition: form-data; name=\"file\"; filename=\"links.txt\"\r\n\r\n"
	for page, most := range map[string]int64{
		"GET /sign-in": 64 << 10,
		"GET /keys":    64 << 10,
		"POST /transcripts/video_site/dQw4w9WgXcQ":              64 << 10,
		"POST /library/transcripts/video_site/dQw4w9WgXcQ/star": 64 << 10,
		"POST /batches/x/retry":                                 64 << 10,
		"POST /transcripts":                                     9 << 20,
		"POST /batches":                                         9 << 20,
	} {
		method, path, _ := strings.Cut(page, " ")
		for _, size := range []int64{4 << 20, 64 << 20} {
			file := &io.LimitedReader{R: lines{}, N: size}
			r := httptest.NewRequest(method, "http://localhost"+path, io.MultiReader(strings.NewReader(begin), file, strings.NewReader("\r\n--edge--\r\n")))
			r.Header.Set("Content-Type", "multipart/form-data; boundary=edge")
			(*s.pages.Load()).ServeHTTP(httptest.NewRecorder(), r)
			assert.LessOrEqual(t, size-file.N, most, page)
		}
		left, err := filepath.Glob(filepath.Join(folder, "multipart-*"))
		require.NoError(t, err)
		assert.Empty(t, left, page)
	}
}

// lines never end.
type lines struct{}

func (lines) Read(p []byte) (int, error) {
	for n := range p {
		p[n] = "dQw4w9WgXcQ\n"[n%12]
	}
	return len(p), nil
}
