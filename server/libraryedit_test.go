package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// edit sends a correction of the saved video.
func (s *service) edit(t *testing.T, ifMatch, body string, changes ...change) *answer {
	t.Helper()
	if ifMatch != "" {
		changes = append(changes, header("If-Match", ifMatch))
	}
	return s.do(t, http.MethodPatch, savedVideo, strings.NewReader(body), append(changes, header("Content-Type", "application/json"))...)
}

// line is a line of a saved transcript in an answer.
func (a *answer) line(t *testing.T, i int) map[string]any {
	t.Helper()
	return a.object(t)["transcript"].(map[string]any)["segments"].([]any)[i].(map[string]any)
}

func TestCorrectionIsTheAccountsAlone(t *testing.T) {
	t.Parallel()
	s := start(t)
	other := as(s.NewKey(t, "globex"))
	for _, account := range []change{func(*http.Request) {}, other} {
		require.Equal(t, http.StatusOK, s.postJSON(t, `{"url": "`+video+`", "waitMs": 10000}`, account).StatusCode)
	}
	before := s.get(t, savedVideo)
	assert.InDelta(t, 1, before.object(t)["revision"], 0)

	a := s.edit(t, `"1"`, `{"segments": [{"index": 0, "text": " Zebras <b>rule</b>. ", "speaker": "Ada"}]}`)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	assert.InDelta(t, 2, a.object(t)["revision"], 0)
	assert.Equal(t, "Zebras <b>rule</b>.", a.line(t, 0)["text"])
	assert.Equal(t, "Ada", a.line(t, 0)["speaker"])
	assert.Equal(t, before.line(t, 0)["start"], a.line(t, 0)["start"])
	now := s.get(t, savedVideo)
	assert.JSONEq(t, a.body, now.body)
	assert.Equal(t, a.Header.Get("ETag"), now.Header.Get("ETag"))
	assert.Equal(t, http.StatusNotModified, s.get(t, savedVideo, header("If-None-Match", a.Header.Get("ETag"))).StatusCode)

	for _, path := range []string{"/download?format=txt", "/download?format=vtt", "/download?format=json", "/chunks"} {
		assert.Contains(t, s.get(t, savedVideo+path).body, "Zebras", path)
		assert.NotContains(t, s.get(t, savedVideo+path, other).body, "Zebras", path)
	}
	assert.Len(t, s.get(t, "/v1/library/search?q=zebras").object(t)["items"], 1)
	assert.Empty(t, s.get(t, "/v1/library/search?q=zebras", other).object(t)["items"])
	assert.Equal(t, before.object(t)["transcript"], s.get(t, savedVideo, other).object(t)["transcript"], "another account's text")

	again := s.postJSON(t, `{"url": "`+video+`"}`)
	assert.NotContains(t, again.body, "Zebras", "a request is answered with the text that all share")
	assert.Equal(t, true, again.object(t)["cached"])
	assert.Equal(t, now.body, s.get(t, savedVideo).body, "the request has changed the library")
	row := s.get(t, "/v1/library/transcripts").object(t)["transcripts"].([]any)[0].(map[string]any)
	assert.InDelta(t, 2, row["revision"], 0)

	require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, savedVideo, nil).StatusCode)
	require.Equal(t, http.StatusOK, s.postJSON(t, `{"url": "`+video+`"}`).StatusCode)
	assert.Equal(t, before.object(t)["transcript"], s.get(t, savedVideo).object(t)["transcript"], "removed with its corrections")
}

func TestCorrectionOfAnotherText(t *testing.T) {
	t.Parallel()
	s := start(t)
	assert.Equal(t, "NO_TRANSCRIPT", s.edit(t, "*", `{}`).failure(t)["code"])
	require.Equal(t, http.StatusOK, s.postJSON(t, `{"url": "`+video+`", "waitMs": 10000}`).StatusCode)
	first := s.get(t, savedVideo).Header.Get("ETag")
	text := 0
	change := func() string { text++; return fmt.Sprintf(`{"segments": [{"index": 0, "text": "text %d"}]}`, text) }

	missing := s.edit(t, "", change())
	assert.Equal(t, http.StatusPreconditionRequired, missing.StatusCode)
	assert.Equal(t, []string{"If-Match"}, missing.issuePaths(t))
	for _, stale := range []string{`"0"`, `"2"`, `W/"1"`, `1`, `"1-0123456789abcdef01234567"`, `W/` + first} {
		a := s.edit(t, stale, change())
		require.Equal(t, http.StatusPreconditionFailed, a.StatusCode, "%s: %s", stale, a.body)
		assert.Equal(t, "STATE_CONFLICT", a.failure(t)["code"])
		assert.InDelta(t, 1, a.failure(t)["details"].(map[string]any)["revision"], 0)
	}
	require.Equal(t, http.StatusOK, s.edit(t, first, change()).StatusCode)
	require.Equal(t, http.StatusPreconditionFailed, s.edit(t, first, change()).StatusCode, "the text has changed")
	for _, tag := range []func(etag string) string{
		func(string) string { return `"2"` },
		func(string) string { return `"7", "3"` },
		func(string) string { return "*" },
		func(etag string) string { return strings.TrimSuffix(etag, `"`) + `-gz"` },
		func(string) string { return s.get(t, savedVideo+"?include=words").Header.Get("ETag") },
	} {
		value := tag(s.get(t, savedVideo).Header.Get("ETag"))
		require.Equal(t, http.StatusOK, s.edit(t, value, change()).StatusCode, value)
	}

	last := fmt.Sprintf(`{"segments": [{"index": 0, "text": "text %d"}]}`, text)
	at := s.get(t, savedVideo).object(t)["revision"]
	repeated := s.edit(t, fmt.Sprintf(`"%v"`, at.(float64)-1), last)
	assert.Equal(t, http.StatusOK, repeated.StatusCode, "the answer was lost, and the edit comes again")
	assert.Equal(t, at, repeated.object(t)["revision"])
	assert.Equal(t, http.StatusPreconditionFailed, s.edit(t, fmt.Sprintf(`"%v"`, at.(float64)-2), last).StatusCode)
	same := s.edit(t, "*", last)
	assert.Equal(t, at, same.object(t)["revision"], "nothing was changed")
}

func TestCorrectionRefuses(t *testing.T) {
	t.Parallel()
	s := start(t)
	require.Equal(t, http.StatusOK, s.postJSON(t, `{"url": "`+video+`", "waitMs": 10000}`).StatusCode)
	for body, want := range map[string]struct {
		status int
		path   string
	}{
		`{"segments": [{"index": 999, "text": "a"}]}`:                             {422, "segments.0.index"},
		`{"segments": [{"index": 0}]}`:                                            {422, "segments.0"},
		`{"segments": [{"index": 0, "text": "a"}, {"index": 0, "speaker": "b"}]}`: {422, "segments.1.index"},
		`{"segments": [{"index": 0, "text": ""}]}`:                                {422, "segments.0.text"},
		`{"segments": [{"index": 0, "text": " \n\t "}]}`:                          {422, "segments.0.text"},
		`{"segments": [{"index": 0, "speaker": "a\nb"}]}`:                         {422, "segments.0.speaker"},
		`{"segments": [{"index": 0, "speaker": "a\u202eb"}]}`:                     {422, "segments.0.speaker"},
		`{"speakers": {"nobody": "Ada"}}`:                                         {422, "speakers.nobody"},
	} {
		a := s.edit(t, "*", body)
		require.Equal(t, want.status, a.StatusCode, "%.80s: %s", body, a.body)
		assert.Equal(t, []string{want.path}, a.issuePaths(t), "%.80s", body)
	}
	for value, status := range map[string]int{"ä": 400, strings.Repeat("1", 501): 400, `"1"`: 200} {
		assert.Equal(t, status, s.edit(t, value, `{"segments": [{"index": 0, "text": "a"}]}`).StatusCode, value)
	}
}

// The id of a chunk changes only where the text of the chunk does.
func TestChunksOfACorrectedText(t *testing.T) {
	t.Parallel()
	s := start(t)
	var file strings.Builder
	for i := range 30 {
		fmt.Fprintf(&file, "[00:%02d:00] Sentence %d has so many words that two of its kind fill a chunk of the least size, and then ends.\n", i, i)
	}
	require.Equal(t, http.StatusCreated, s.putFile(t, "?language=en", "text/plain", file.String()).StatusCode)
	chunks := func() (ids []any) {
		for _, chunk := range s.get(t, savedVideo+"/chunks?maxChars=200").object(t)["chunks"].([]any) {
			ids = append(ids, chunk.(map[string]any)["id"])
		}
		return ids
	}
	before := chunks()
	require.Greater(t, len(before), 10)
	a := s.edit(t, "*", `{"segments": [{"index": 7, "text": "Sentence 7 had so many words that two of its kind fill a chunk of the least size, and then ends."}]}`)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	after, changed := chunks(), 0
	require.Len(t, after, len(before))
	for i := range after {
		if after[i] != before[i] {
			changed++
		}
	}
	assert.Equal(t, 1, changed)
}

// The export of a batch has the corrected text.
func TestExportOfACorrectedText(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.newBatch(t, []string{video})
	s.endedBatch(t, id)
	for _, text := range []string{"Zebras", "Quaggas"} {
		require.Equal(t, http.StatusOK, s.edit(t, "*", `{"segments": [{"index": 0, "text": "`+text+`"}]}`).StatusCode)
		file := s.get(t, batchPath(id)+"/export?format=txt")
		assert.Equal(t, http.StatusOK, file.StatusCode)
		assert.Contains(t, file.body, text)
	}
}
