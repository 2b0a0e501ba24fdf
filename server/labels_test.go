package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What the account calls a content is in each answer about its library, and in no other.
func TestTitleAndTags(t *testing.T) {
	t.Parallel()
	s := start(t)
	other := as(s.NewKey(t, "globex"))
	for _, account := range []change{func(*http.Request) {}, other} {
		require.Equal(t, http.StatusOK, s.postJSON(t, `{"url": "`+video+`", "waitMs": 10000}`, account).StatusCode)
	}
	before, theirs := s.get(t, savedVideo), s.get(t, savedVideo, other)
	a := s.edit(t, "", `{"title": " Mein <Titel> ", "tags": ["Work", "work", "Zwei"]}`)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	now := s.get(t, savedVideo)
	assert.JSONEq(t, a.body, now.body)
	assert.Equal(t, a.Header.Get("ETag"), now.Header.Get("ETag"))
	assert.NotEqual(t, before.Header.Get("ETag"), now.Header.Get("ETag"))
	text := now.object(t)["transcript"].(map[string]any)
	assert.Equal(t, []any{"Mein <Titel>", []any{"Work", "Zwei"}}, []any{text["title"], text["tags"]})
	assert.Equal(t, before.object(t)["revision"], now.object(t)["revision"], "no correction of the text")

	share := s.do(t, http.MethodPost, savedVideo+"/shares", strings.NewReader(`{}`), header("Content-Type", "application/json"))
	require.Equal(t, http.StatusCreated, share.StatusCode, share.body)
	link := share.object(t)["share"].(map[string]any)["url"].(string)
	for _, path := range []string{
		savedVideo + "/download?format=json", savedVideo + "/revisions/1", "/v1/library/transcripts?tag=work&tag=zwei&q=mein", "/v1/library/search?q=" + url.QueryEscape(now.line(t, 0)["text"].(string)), link,
	} {
		assert.Contains(t, strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(s.get(t, path).body), `"Mein <Titel>"`, path)
	}
	md := s.get(t, savedVideo+"/download?format=md")
	assert.Contains(t, md.body, `# Mein \<Titel`)
	assert.Contains(t, md.Header.Get("Content-Disposition"), "mein-titel.md")
	assert.NotContains(t, s.get(t, link).body, "Zwei", "tags are the account's alone")
	assert.Equal(t, theirs.body, s.get(t, savedVideo, other).body)
	assert.NotContains(t, s.postJSON(t, `{"url": "`+video+`"}`).body, "Titel", "the answer that all share")

	both := s.edit(t, now.Header.Get("ETag"), `{"title": null, "segments": [{"index": 0, "text": "Zebras."}]}`)
	require.Equal(t, http.StatusOK, both.StatusCode, both.body)
	text = both.object(t)["transcript"].(map[string]any)
	assert.Equal(t, before.object(t)["transcript"].(map[string]any)["title"], text["title"])
	assert.Equal(t, "Zebras.", both.line(t, 0)["text"])
	assert.Equal(t, both.Header.Get("ETag"), s.get(t, savedVideo).Header.Get("ETag"))
	assert.Equal(t, http.StatusPreconditionFailed, s.edit(t, `"1"`, `{"title": "Another"}`).StatusCode, "who names a revision means it")
	assert.Equal(t, http.StatusPreconditionRequired, s.edit(t, "", `{"title": "Another", "speakers": {}}`).StatusCode)
	assert.JSONEq(t, both.body, s.get(t, savedVideo).body)
}

func TestTitleOfWork(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, release := s.heldJob(t, "words")
	row := s.get(t, "/v1/library/transcripts").object(t)["transcripts"].([]any)[0].(map[string]any)
	saved := "/v1/library/transcripts/upload/" + row["externalId"].(string)
	patch := func(path, body string) *answer {
		return s.do(t, http.MethodPatch, path, strings.NewReader(body), header("Content-Type", "application/json"))
	}
	assert.Equal(t, http.StatusNoContent, patch(saved, `{"title": "Of work"}`).StatusCode)
	assert.Equal(t, "NO_TRANSCRIPT", patch(saved+"?language=xx", `{"title": "Other"}`).failure(t)["code"])
	assert.Equal(t, "NO_TRANSCRIPT", patch(savedVideo, `{"title": "Other"}`).failure(t)["code"])
	release()
	s.ended(t, id)
	assert.Equal(t, "Of work", s.get(t, saved).object(t)["transcript"].(map[string]any)["title"])
}

func TestTitleAndTagsRefuse(t *testing.T) {
	t.Parallel()
	s := start(t)
	long := func(n int) string { return strings.Repeat("ä", n) }
	for body, want := range map[string]struct {
		status int
		path   string
		says   string
	}{
		`{"title": ""}`:                                     {422, "title", "1 to 500"},
		`{"title": "` + long(501) + `"}`:                    {422, "title", "1 to 500"},
		`{"title": " "}`:                                    {422, "title", "blank"},
		`{"title": "a\u0000"}`:                              {422, "title", "control"},
		`{"title": "\u202etxt.exe"}`:                        {422, "title", "direction"},
		`{"title": 1}`:                                      {400, "title", "string"},
		`{"title": "\ud800\u0001"}`:                         {422, "title", "control"},
		`{"title": "` + long(10<<20) + `"}`:                 {400, "body", "1048576"},
		`{"tags": null}`:                                    {400, "tags", "array"},
		`{"tags": ["a", ""]}`:                               {422, "tags.1", "1 to 50"},
		`{"tags": ["` + long(51) + `"]}`:                    {422, "tags.0", "1 to 50"},
		`{"tags": ["a\tb"]}`:                                {422, "tags.0", "control"},
		`{"tags": [` + strings.Repeat(`"a",`, 20) + `"b"]}`: {422, "tags", "0 to 20"},
	} {
		a := s.edit(t, "", body)
		require.Equal(t, want.status, a.StatusCode, "%.80s: %.200s", body, a.body)
		assert.Equal(t, []string{want.path}, a.issuePaths(t), "%.80s", body)
		assert.Contains(t, a.body, want.says, "%.80s", body)
	}
	assert.Equal(t, http.StatusBadRequest, s.get(t, "/v1/library/transcripts?tag="+long(51)).StatusCode)
	assert.Equal(t, http.StatusBadRequest, s.get(t, "/v1/library/transcripts?"+strings.Repeat("tag=a&", 21)).StatusCode)
}
