package page_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// formats are the keys of texts that name a format of files.
const formats = ".format.json"

// No text of a catalog holds words of the API.
func TestTextsAreForPeople(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"en", "de"} {
		for key, forms := range readTexts(t, language) {
			for _, text := range forms {
				if !strings.HasSuffix(key, formats) {
					assert.NotRegexp(t, jargon, placeholder.ReplaceAllString(text, ""), "%s %s", language, key)
				}
			}
		}
	}
}

// Each code of the API has a sentence and a cure in each language.
func TestEveryCodeHasASentence(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"en", "de"} {
		all := readTexts(t, language)
		for _, code := range append(transcript.Codes(), transcript.FlatCodes()...) {
			assert.Contains(t, all, "says."+string(code), language)
			assert.Contains(t, all, "cure."+string(code), language)
		}
	}
}

// inLanguage lets the site's browser ask for a language.
func (s *site) inLanguage(t *testing.T, language string) {
	t.Helper()
	sent := s.post(t, "/language", "language", language, "next", "/")
	require.Equal(t, http.StatusSeeOther, sent.status)
}

// forPeople asserts that what a page shows holds no words of the API.
func forPeople(t *testing.T, page, name string) {
	t.Helper()
	for _, text := range visible(t, page) {
		if text != "JSON" && !strings.HasPrefix(text, "https://") { // the name of a format, and a link that a visitor has sent
			assert.NotRegexp(t, jargon, text, name)
		}
	}
}

// Whatever the API answers with any of its codes, no page shows the words of the API, and each
// shows the sentence of the code in the language of the visitor.
func TestRefusalsAreForPeople(t *testing.T) {
	t.Parallel()
	var code transcript.Code
	s, _ := overAPI(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader((&transcript.Error{Code: code}).HTTPStatus())
		_, _ = io.WriteString(w, fmt.Sprintf(`{"error":{"code":%q,"message":"POST /v1/transcript with Content-Digest: application/octet-stream, waitMs is no externalId of video_site (422 INVALID_REQUEST)."}}`, code))
	})
	for _, language := range []string{"en", "de"} {
		s.inLanguage(t, language)
		all := readTexts(t, language)
		var n int
		for n, code = range transcript.Codes() {
			if (&transcript.Error{Code: code}).HTTPStatus() < 400 {
				continue // it stands in a report of captions alone
			}
			for _, request := range some(asking, n) {
				got := s.ask(t, request)
				if got.status == http.StatusSeeOther {
					continue // a canceled job has its own page
				}
				name := fmt.Sprint(language, " ", code, " ", request)
				forPeople(t, got.body, name)
				assert.Contains(t, strings.Join(visible(t, got.body), "\n"), all["says."+string(code)][0], name)
			}
		}
	}
}

// The service's own refusals of what people send reach no page in the words of the API.
func TestRealRefusalsAreForPeople(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"en", "de"} {
		s := newSite(t, visitor.User)
		s.inLanguage(t, language)
		for name, path := range map[string]string{
			"an unknown job": "/jobs/nothing", "an unknown batch": "/batches/nothing", "an unknown text": "/transcripts/video_site/dQw4w9WgXcQ?language=en",
			"an unknown platform": "/transcripts/nothing/x", "an unknown follow": "/follows/nothing", "an unknown webhook": "/webhooks/nothing",
			"an unknown page": "/nothing", "a broken page": "/library?in=said&q=a&from=x", "an unknown link": "/shared/nothing",
		} {
			shown := s.get(t, path)
			assert.GreaterOrEqual(t, shown.status, 400, name)
			forPeople(t, shown.body, language+" "+name)
		}
		for name, fields := range map[string][]string{
			"an unknown site": {"/transcripts", "links", "https://example.com/talk"}, "no id": {"/transcripts", "links", "https://youtu.be/a"},
			"no language": {"/transcripts", "links", "dQw4w9WgXcQ", "language", "no-such-language-tag"}, "a long link": {"/transcripts", "links", "https://youtu.be/" + strings.Repeat("a", 3000)},
			"a batch of a page": {"/batches", "from", "playlist", "list", "https://example.com/"}, "a large batch": {"/batches", "from", "channel", "list", "@a", "most", "501"},
			"a follow of a page": {"/follows", "link", "https://youtu.be/dQw4w9WgXcQ"}, "a webhook at home": {"/webhooks", "url", "http://127.0.0.1/"},
		} {
			shown := s.post(t, fields[0], fields[1:]...)
			assert.GreaterOrEqual(t, shown.status, 400, name)
			forPeople(t, shown.body, language+" "+name)
		}
		s.Engine.FailMedia(transcript.Errorf(transcript.UploadInvalid, "The part \"file\" is application/octet-stream."))
		failed := s.begin(t, talk("notes.txt"), "")
		s.end(t, failed)
		forPeople(t, s.get(t, failed).body, language+" a text file")
	}
}
