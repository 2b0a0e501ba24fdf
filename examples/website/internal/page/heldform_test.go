package page_test

import (
	"html"
	"net/http"
	"net/http/cookiejar"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
)

const secret = "a few words in a row"

// signOut takes all cookies from the browser, as their end does.
func (s *site) signOut(t *testing.T) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	s.browser.Jar = jar
}

// hiddenFields returns the names and values of the hidden fields of a page, without the language.
func hiddenFields(page string) (fields []string) {
	for _, field := range regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`).FindAllStringSubmatch(page, -1) {
		fields = append(fields, html.UnescapeString(field[1]), html.UnescapeString(field[2]))
	}
	return fields
}

// A form that is sent after the session of its user has ended is sent once the user has signed in again.
// Another user who signs in does not see the form, and does not send it.
func TestFormsOutliveASession(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.Guest)
	for _, name := range []string{"bob", "ann"} {
		s.signOut(t)
		require.Equal(t, http.StatusSeeOther, s.post(t, "/sign-up", "name", name, "password", secret).status)
	}
	for _, page := range []string{"/", "/batches", "/keys", "/webhooks", "/follows", "/feed", "/account", "/library/import", "/nothing"} {
		shown := s.get(t, page).body
		assert.Equal(t, strings.Count(shown, `method="post"`), strings.Count(shown, `<input type="hidden" name="shownTo" value="ann">`), page)
	}
	s.signOut(t)
	const typed = `typed <b>& "this"`
	for path, fields := range map[string][]string{
		"/keys":                 {"id", "01a204ac-9bf1-77a8-ab73-6c867c643260", "name", typed, "scope", "transcripts", "days", "30"},
		"/transcripts":          {"links", typed + " and no link"},
		"/batches":              {"from", "batch", "links", typed},
		"/webhooks":             {"id", "x", "url", typed},
		"/follows":              {"link", typed},
		"/library/import":       {"lang", typed},
		"/jobs/x/cancel?a=b":    {"links", typed},
		"/keys/tk_12345/revoke": nil,
	} {
		asked := s.post(t, path, append(fields, "shownTo", "ann")...)
		require.Equal(t, http.StatusUnauthorized, asked.status, path)
		assert.Contains(t, asked.body, "Your session has ended.", path)
		held := hiddenFields(asked.body)
		if path == "/keys" {
			wrong := s.post(t, "/sign-in", append(held, "name", "ann", "password", "wrong")...)
			require.Equal(t, http.StatusUnauthorized, wrong.status)
			assert.Equal(t, held, hiddenFields(wrong.body))
			other := s.post(t, "/sign-in", append(held, "name", "bob", "password", secret)...)
			assert.Equal(t, http.StatusSeeOther, other.status)
			assert.Equal(t, "/", other.header.Get("Location"))
			assert.NotContains(t, s.get(t, "/keys").body, html.EscapeString(typed))
			assert.Equal(t, http.StatusConflict, s.post(t, path, append(fields, "shownTo", "ann")...).status, "the form of ann, by bob")
			s.signOut(t)
		}
		own := s.post(t, "/sign-in", append(held, "name", "ANN", "password", secret)...)
		assert.NotContains(t, []int{http.StatusSeeOther, http.StatusUnauthorized}, own.status, path)
		if fields != nil && !strings.HasPrefix(path, "/jobs") {
			assert.Contains(t, own.body, html.EscapeString(typed), path)
		}
		assert.Contains(t, own.body, "Account", path)
		s.signOut(t)
	}

	// No password is held, a form without its user is not, and no page elsewhere is asked.
	for path, fields := range map[string][]string{
		"/account/password": {"shownTo", "ann", "password", "typed secret", "next", "a", "again", "b"},
		"/account/remove":   {"shownTo", "ann", "password", "typed secret"},
		"/batches":          {"links", "typed secret"},
	} {
		asked := s.post(t, path, fields...)
		assert.NotContains(t, asked.body+asked.header.Get("Location"), "secret", path)
		assert.NotContains(t, asked.body, "heldBody", path)
	}
	for _, to := range []string{"//evil.example", "/sign-in", ""} {
		sent := s.post(t, "/sign-in", "name", "ann", "password", secret, "heldUser", "ann", "heldTo", to, "heldBody", "a=b")
		assert.Equal(t, http.StatusSeeOther, sent.status, to)
		assert.Equal(t, "/", sent.header.Get("Location"), to)
		s.signOut(t)
	}
}

// A form that is too large for the sign-in page is not held, and the page says so.
func TestLargeFormsAreNotHeld(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.Guest)
	for size, held := range map[int]bool{1 << 19: true, 1<<20 + 1: false} {
		asked := s.post(t, "/batches", "shownTo", "ann", "links", strings.Repeat("a", size))
		assert.Equal(t, http.StatusUnauthorized, asked.status)
		assert.Equal(t, held, strings.Contains(asked.body, "heldBody"), size)
		assert.Equal(t, !held, strings.Contains(asked.body, "too large to be kept"), size)
	}
}

// If the API refuses a form for any reason, the page shows the form again with everything that was typed,
// the reason, and when to try again.
func TestRefusedFormsAreShownAgain(t *testing.T) {
	t.Parallel()
	var status int
	var code string
	s, _ := overAPI(t, func(w http.ResponseWriter, _ *http.Request) {
		if w.Header().Set("Content-Type", "application/json"); status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
			w.Header().Set("Retry-After", "90")
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{"error":{"code":"` + code + `","message":"No."}}`)) // a visitor who has gone needs no answer
	})
	const typed = `typed <b>& "this"`
	const text = "/transcripts/video_site/dQw4w9WgXcQ"
	for path, fields := range map[string][]string{
		"/transcripts":     {"links", "https://youtu.be/dQw4w9WgXcQ?" + "typed"},
		"/batches":         {"from", "playlist", "list", typed, "language", "de"},
		"/follows":         {"link", typed, "language", "de", "most", "3"},
		"/webhooks":        {"id", "01a204ac-9bf1-77a8-ab73-6c867c643260", "url", typed, "description", "more", "event", "transcript.completed"},
		text + "/edit":     {"from", "50", "line", "50", "start", "65.5", "was", "one", "wasSpeaker", "", "text", typed, "speaker", "Ada"},
		text + "/speakers": {"speaker", "A", "name", typed},
		text:               {"language", "de,fr"},
	} {
		for status, code = range map[int]string{402: "UPGRADE_REQUIRED", 409: "STATE_CONFLICT", 422: "UNAVAILABLE", 429: "RATE_LIMITED", 503: "SERVICE_UNAVAILABLE"} {
			shown := s.post(t, path, fields...)
			assert.Equal(t, status, shown.status, path)
			for n := 1; n < len(fields); n += 2 {
				assert.Contains(t, shown.body, html.EscapeString(fields[n]), "%s %d %s", path, status, fields[n-1])
			}
			if status == 429 || status == 503 {
				assert.Contains(t, shown.body, `data-wait="90"`, "%s %d", path, status)
			}
		}
	}
	for _, path := range []string{"/webhooks/x/pause", "/follows/x/delete?a=b", "/batches/x/retry", "/jobs/x/cancel", "/feed"} {
		for status, code = range map[int]string{409: "STATE_CONFLICT", 429: "RATE_LIMITED", 503: "SERVICE_UNAVAILABLE"} {
			shown := s.post(t, path, "item", typed)
			assert.Equal(t, code != "STATE_CONFLICT", strings.Contains(shown.body, `action="`+path+`"`) && strings.Contains(shown.body, html.EscapeString(typed)), "%s %d", path, status)
		}
	}
}

// An import that is refused keeps its language and its file.
func TestRefusedImportsAreShownAgain(t *testing.T) {
	t.Parallel()
	s, _ := overAPI(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "90")
		http.Error(w, `{"error":"rate_limited"}`, http.StatusTooManyRequests)
	})
	body := "--edge\r\nContent-Disposition: form-data; name=\"lang\"\r\n\r\nnl\r\n--edge\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.srt\"\r\n\r\nhello\r\n--edge--\r\n"
	shown := s.send(t, http.MethodPost, "/library/import", "multipart/form-data; boundary=edge", strings.NewReader(body))
	assert.Equal(t, http.StatusTooManyRequests, shown.status)
	assert.Contains(t, shown.body, `value="nl"`)
	assert.Contains(t, shown.body, "The form keeps this file:")
	assert.Contains(t, shown.body, `data-wait="90"`)
}
