package page_test

import (
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// share saves a text for an account of the service, and returns the path of a link to the text.
func (s *site) share(t *testing.T, text transcript.Transcript) string {
	t.Helper()
	_, err := s.PutTranscript(t.Context(), servertest.Account, text)
	require.NoError(t, err)
	owner, err := client.New(s.URL, client.WithAPIKey(s.Key))
	require.NoError(t, err)
	made, err := owner.Library.Share(t.Context(), library.Key{Platform: text.Platform, ExternalID: text.ExternalID, Language: text.Lang}, time.Time{})
	require.NoError(t, err)
	return "/shared/" + path.Base(made.URL)
}

// A share link shows its text to everyone in the same way, with nothing of an account, and no
// search engine keeps it.
func TestSharedPage(t *testing.T) {
	t.Parallel()
	for _, who := range []visitor.Kind{visitor.Stranger, visitor.User} {
		s := newSite(t, who)
		link := s.share(t, everything())
		got := s.get(t, link)
		require.Equal(t, http.StatusOK, got.status, got.body)
		assert.Equal(t, "noindex", got.header.Get("X-Robots-Tag"))
		assert.Equal(t, "no-store", got.header.Get("Cache-Control"))
		assert.Contains(t, got.body, `<meta name="robots" content="noindex">`)
		assert.Contains(t, got.body, "</a> <span>a time,</span></p>")
		assert.Contains(t, got.body, `<a href="#chapter-1">`)
		assert.Contains(t, got.body, `href="`+link+`?language=en-GB&amp;view=lines"`)
		for _, of := range []string{"/library", "/sign-in", "/keys", "<nav aria-label=\"Pages\"", "data-delete", "/star", "<audio"} {
			assert.NotContains(t, got.body, of)
		}
	}
}

func TestSharedTextIsCopiedAndDownloaded(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.Stranger)
	link := s.share(t, talkOfTwo())
	assert.Equal(t, "Ada: Good morning. How are you?\n\nBen: Fine & well.\n\nAnd you?", s.get(t, link+"/download?format=paragraphs&speakers=yes").body)
	for query, want := range map[string]string{
		"format=txt&times=yes&speakers=yes": "[00:00:00] Ada: Good morning.",
		"format=srt":                        "1\n00:00:00,000 --> ",
		"format=docx":                       "PK",
		"format=html&times=yes":             "<!doctype html>",
		"format=podcast":                    `{"version":"1.0.0"`,
	} {
		got := s.get(t, link+"/download?"+query)
		assert.Equal(t, http.StatusOK, got.status, query)
		assert.True(t, strings.HasPrefix(got.body, want), got.body)
		assert.Contains(t, got.header.Get("Content-Disposition"), "attachment; filename=", query)
		assert.Equal(t, "noindex", got.header.Get("X-Robots-Tag"), query)
	}
	assert.Equal(t, http.StatusBadRequest, s.get(t, link+"/download?format=exe").status)
}

// A link that is revoked, has ended or was never made says one thing, and a busy address is told
// when to come back.
func TestSharedLinkIsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.Stranger)
	for _, path := range []string{"/shared/guess", "/shared/guess/download?format=txt", "/shared/..%2f..%2flibrary", "/shared/a%25zz", "/shared/%20", "/shared/" + strings.Repeat("A", 43)} {
		got := s.get(t, path)
		assert.Equal(t, http.StatusNotFound, got.status, path)
		assert.Contains(t, got.body, "This link shows no text any more", path)
		assert.Equal(t, "noindex", got.header.Get("X-Robots-Tag"), path)
	}
	var busy answered
	for range 250 { // within two windows at most, of 120 requests each
		if busy = s.get(t, "/shared/guess/download?format=lines"); busy.status == http.StatusTooManyRequests {
			break
		}
	}
	assert.Equal(t, http.StatusTooManyRequests, busy.status)
	assert.Contains(t, busy.body, "That was too much at once.")
	assert.NotEmpty(t, busy.header.Get("Retry-After"))
}

// The API counts the requests of a share link by the address of the person who follows the link.
func TestSharedLinkIsCountedByAddress(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.Stranger)
	asked := ""
	s.before = func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = r.RemoteAddr
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte("{}"))
		})
	}
	s.build(t)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/shared/sea", nil)
	r.RemoteAddr = "192.0.2.7:4711"
	answer := httptest.NewRecorder()
	(*s.pages.Load()).ServeHTTP(answer, r)
	assert.Equal(t, http.StatusNotFound, answer.Code)
	assert.Equal(t, "192.0.2.7:0", asked)
}

// The page of a share link is open to all, and its text is searched and copied.
func TestBrowserReadsASharedText(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.Stranger)
	text := everything()
	link := s.share(t, text)
	page := s.open(t)
	page.Open(link)
	page.Type("searchbox", "Search in the text", "a time, at once")
	page.WaitText("#within-count", "1 of 1")
	browsertest.Eval[any](page, `(() => {
		globalThis.copied = null;
		navigator.clipboard.write = async ([item]) => { copied = await (await item.getType("text/plain")).text(); };
	})()`)
	page.Click("button", "Export")
	page.Click("checkbox", "Times")
	page.Click("button", "Copy")
	page.Wait(`copied.startsWith("[00:00:00] Ada: Once <script>")`)
	assert.Empty(t, page.Barriers())
	page.Phone()
	assert.Empty(t, page.Barriers())
	assert.Less(t, browsertest.Eval[float64](page, `document.querySelector("#text p").getBoundingClientRect().top + scrollY`), 300.0)
}
