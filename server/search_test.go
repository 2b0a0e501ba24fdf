package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/servertest"
)

// searched is what a search answers, which must be a 200.
func (s *service) searched(t testing.TB, query url.Values, changes ...change) (found library.Found) {
	t.Helper()
	a := s.get(t, "/v1/library/search?"+query.Encode(), changes...)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	require.NoError(t, json.Unmarshal([]byte(a.body), &found))
	return found
}

func TestSearch(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.saved(t, "A <b>talk</b>", `say <script>alert("needle")</script>`)
	found := s.searched(t, url.Values{"q": {"NEEDLE"}})
	require.Len(t, found.Items, 1)
	m := found.Items[0]
	assert.Equal(t, video, m.ExternalID)
	assert.Equal(t, "A <b>talk</b>", *m.Title, "as everywhere: only the snippet is HTML")
	assert.Equal(t, "Talks", *m.Channel)
	assert.Equal(t, 1, m.HitCount)
	require.Len(t, m.Hits, 1)
	assert.Contains(t, m.Hits[0].Snippet, `say &lt;script&gt;alert(&#34;<mark>needle</mark>&#34;)&lt;/script&gt;`)
	require.NotNil(t, m.Hits[0].URL)
	assert.Equal(t, fmt.Sprintf("https://video.example/watch?v=%s&t=%ds", video, int(m.Hits[0].Start)), *m.Hits[0].URL)
	assert.Empty(t, found.NextPageToken)

	s.ended(t, s.job(t, "a talk")) // in which the recognizer hears "hello world"
	uploads := s.searched(t, url.Values{"q": {"hello w*"}, "platform": {"upload"}})
	require.Len(t, uploads.Items, 1)
	assert.Nil(t, uploads.Items[0].Hits[0].URL, "there is no link into a file")

	stranger := as(s.NewKey(t, "globex"))
	assert.Empty(t, s.searched(t, url.Values{"q": {"needle"}}, stranger).Items)
	for _, q := range []string{`"`, "\x00", "title:x", "  "} {
		found := s.searched(t, url.Values{"q": {q}})
		assert.Equal(t, q, found.Query)
		assert.Empty(t, found.Items, q)
	}
	for _, bad := range []string{"", "q=", "q=%ff", "q=x&platform=none", "q=x&maxResults=51", "q=x&pageToken=x"} {
		a := s.get(t, "/v1/library/search?"+bad)
		assert.Equal(t, http.StatusBadRequest, a.StatusCode, bad)
		assert.Equal(t, "INVALID_REQUEST", a.failure(t)["code"], bad)
	}
}

func TestSearchPages(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "a needle here"})
	want := map[string]bool{}
	for _, link := range videos(0, 5) {
		a := s.postJSON(t, `{"url": "`+link+`", "waitMs": 0}`)
		require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
		s.ended(t, a.object(t)["jobId"].(string))
		want[link] = true
	}
	query := url.Values{"q": {"needle"}, "maxResults": {"2"}}
	var pages []int
	for {
		found := s.searched(t, query)
		pages = append(pages, len(found.Items))
		for _, m := range found.Items {
			assert.True(t, want[m.ExternalID], "twice, or not there: %s", m.ExternalID)
			delete(want, m.ExternalID)
		}
		if found.NextPageToken == "" {
			break
		}
		query.Set("pageToken", found.NextPageToken)
	}
	assert.Equal(t, []int{2, 2, 1}, pages)
	assert.Empty(t, want)

	refused := func(query url.Values, changes ...change) {
		t.Helper()
		a := s.get(t, "/v1/library/search?"+query.Encode(), changes...)
		assert.Equal(t, http.StatusBadRequest, a.StatusCode, a.body)
		assert.Contains(t, a.body, `"pageToken"`)
	}
	token := query.Get("pageToken")
	refused(url.Values{"q": {"needle"}, "pageToken": {token}}, as(s.NewKey(t, "globex")))
	refused(url.Values{"q": {"here"}, "pageToken": {token}})
	refused(url.Values{"q": {"needle"}, "lang": {"en"}, "pageToken": {token}})
	assert.Len(t, s.searched(t, url.Values{"q": {"needle"}, "maxResults": {"50"}, "pageToken": {token}}).Items, 1, "the size may change")
}
