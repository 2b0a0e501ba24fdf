package page_test

import (
	"archive/zip"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
)

// The selected texts arrive as files of a ZIP, each once, also if they have the same title.
func TestLibraryExportsSelectedTexts(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.save(t, "aaaaaaaaa01", "A talk", "en", "first words")
	s.save(t, "aaaaaaaaa02", "A talk", "en", "second words")
	s.save(t, "aaaaaaaaa03", "Another", "en", "third words")
	one, two := "/transcripts/video_site/aaaaaaaaa01?language=en", "/transcripts/video_site/aaaaaaaaa02?language=en"
	got := s.get(t, "/library/export?"+url.Values{"format": {"srt"}, "text": {one, two, one}}.Encode())
	require.Equal(t, http.StatusOK, got.status, got.body)
	files := unzipped(t, got.body)
	require.Len(t, files, 2)
	assert.Contains(t, files["a-talk.srt"], "first words")
	assert.Contains(t, files["a-talk-2.srt"], "second words")
}

// unzipped reads the files of a ZIP by their names.
func unzipped(t *testing.T, content string) map[string]string {
	t.Helper()
	archive, err := zip.NewReader(strings.NewReader(content), int64(len(content)))
	require.NoError(t, err)
	files := map[string]string{}
	for _, f := range archive.File {
		assert.NotContains(t, files, f.Name)
		content, err := f.Open()
		require.NoError(t, err)
		whole, err := io.ReadAll(content)
		require.NoError(t, err)
		files[f.Name] = string(whole)
	}
	return files
}

// A view is saved with the texts of all its pages. A text that is removed meanwhile is named, and
// a file that breaks off is no ZIP.
func TestLibraryExportsAView(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	for n := range 130 {
		s.save(t, fmt.Sprintf("aaaaaaaa%03d", n), "A talk", "en", fmt.Sprint("words of ", n))
	}
	s.save(t, "bbbbbbbbb01", "A talk 2", "de", "andere Worte")
	page := s.get(t, "/library?lang=en").body
	assert.Contains(t, page, `<input type="hidden" name="lang" value="en">`)
	assert.Contains(t, page, "Save all that is shown")
	files := unzipped(t, s.get(t, "/library/export?all=yes&format=txt&lang=en").body)
	assert.Len(t, files, 130)
	files = unzipped(t, s.get(t, "/library/export?all=yes&format=txt&page=5").body)
	assert.Len(t, files, 131)
	all := strings.Join(slices.Collect(maps.Values(files)), "")
	for _, words := range []string{"words of 0", "words of 129", "andere Worte"} {
		assert.Contains(t, all, words)
	}
	assert.Equal(t, http.StatusBadRequest, s.get(t, "/library/export?all=yes&format=txt&lang=fr").status)
	assert.Equal(t, http.StatusBadRequest, s.get(t, "/library/export?all=yes&format=txt&sort=odd").status)

	answer := func(status int) {
		s.before = func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "aaaaaaaa007/download") {
					w.Header().Set("Content-Type", "application/json")
					w.WriteHeader(status)
					_, _ = io.WriteString(w, `{"error": {"code": "NO_TRANSCRIPT", "message": "gone"}}`)
					return
				}
				next.ServeHTTP(w, r)
			})
		}
		s.build(t)
	}
	answer(http.StatusNotFound)
	files = unzipped(t, s.get(t, "/library/export?all=yes&format=txt&lang=en").body)
	assert.Len(t, files, 130)
	assert.Contains(t, files["missing.txt"], "video_site aaaaaaaa007 en")

	s.before = func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "aaaaaaaa007/download") {
				panic(http.ErrAbortHandler)
			}
			next.ServeHTTP(w, r)
		})
	}
	s.build(t)
	broken, err := s.browser.Get(s.base + "/library/export?all=yes&format=txt&lang=en")
	require.NoError(t, err)
	defer broken.Body.Close()
	_, err = io.ReadAll(broken.Body)
	assert.Error(t, err, "the connection is cut")
}

// A selection that no page has made is refused.
func TestLibraryExportRefuses(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.save(t, "aaaaaaaaa01", "A talk", "en", "first words")
	for query, status := range map[string]int{
		"":           http.StatusBadRequest,
		"format=srt": http.StatusBadRequest,
		"format=exe&text=/transcripts/video_site/aaaaaaaaa01":               http.StatusBadRequest,
		"format=srt&text=//elsewhere.example/transcripts":                   http.StatusBadRequest,
		"format=srt&text=/transcripts/video_site/aaaaaaaaa09%3Flanguage=en": http.StatusNotFound,
	} {
		assert.Equal(t, status, s.get(t, "/library/export?"+query).status, query)
	}
}

// Texts are selected by keys, their number is told, and what is deleted comes back by undo.
func TestBrowserSelectsTexts(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	for _, id := range []string{"aaaaaaaaa01", "aaaaaaaaa02", "aaaaaaaaa03"} {
		s.save(t, id, "Talk "+id, "en", "words")
	}
	page := s.open(t)
	page.Open("/library")
	page.WaitText("#selected", "0 selected")
	browsertest.Eval[any](page, `document.querySelector("#rows input[name=text]").focus()`)
	page.Press(" ")
	page.WaitText("#selected", "1 selected")
	browsertest.Eval[any](page, `document.getElementById("select-all").focus()`)
	page.Press(" ")
	page.WaitText("#selected", "3 selected")
	assert.Empty(t, page.Barriers())
	_, content := page.Download(func() { page.Click("button", "Save as ZIP") })
	assert.Len(t, unzipped(t, string(content)), 3)

	browsertest.Eval[any](page, `document.getElementById("delete-selected").click()`)
	page.Wait(`document.querySelectorAll("[data-row]:not([hidden])").length === 0`)
	page.Click("button", "Undo")
	page.Wait(`document.querySelectorAll("[data-row]:not([hidden])").length === 3`)
	browsertest.Eval[any](page, `document.getElementById("delete-selected").click()`)
	page.Wait(`document.querySelectorAll("[data-row]:not([hidden])").length === 0`)
	page.Expect(`log: .* status of 404 `)
	page.Open("/keys")
	page.Wait(`fetch("/library").then(answer => answer.text()).then(text => !text.includes("Talk aaaaaaaaa0"))`)
}
