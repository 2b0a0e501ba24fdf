package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// putFile imports a file as the text of the video.
func (s *service) putFile(t *testing.T, query, media, file string, changes ...change) *answer {
	t.Helper()
	return s.do(t, http.MethodPut, savedVideo+query, strings.NewReader(file), append(changes, header("Content-Type", media))...)
}

// history is the numbers, kinds, and changed lines of the revisions in an answer.
func (a *answer) history(t *testing.T) (all []string) {
	t.Helper()
	for _, r := range a.object(t)["revisions"].([]any) {
		r := r.(map[string]any)
		all = append(all, fmt.Sprint(r["number"], " ", r["kind"], " ", r["changed"]))
	}
	return all
}

func TestRevisions(t *testing.T) {
	t.Parallel()
	s := start(t)
	assert.Equal(t, "NO_TRANSCRIPT", s.get(t, savedVideo+"/revisions").failure(t)["code"])
	require.Equal(t, http.StatusOK, s.postJSON(t, `{"url": "`+video+`", "waitMs": 10000}`).StatusCode)
	first := s.get(t, savedVideo)
	assert.Equal(t, []string{"1 original 0"}, s.get(t, savedVideo+"/revisions").history(t))
	assert.Equal(t, first.object(t), s.get(t, savedVideo+"/revisions/1").object(t))
	for _, text := range []string{"two", "three"} {
		require.Equal(t, http.StatusOK, s.edit(t, "*", `{"segments": [{"index": 0, "text": "`+text+`"}]}`).StatusCode)
	}
	assert.Equal(t, []string{"3 edit 1", "2 edit 1", "1 original 0"}, s.get(t, savedVideo+"/revisions?language=en").history(t))
	old := s.get(t, savedVideo+"/revisions/2")
	assert.Equal(t, "two", old.line(t, 0)["text"])
	assert.InDelta(t, 2, old.object(t)["revision"], 0)
	for _, number := range []string{"4", "0", "x", "99999999999"} {
		assert.Equal(t, "NOT_FOUND", s.get(t, savedVideo+"/revisions/"+number).failure(t)["code"], number)
	}

	restore := func(number int, tag string) *answer {
		changes := []change{}
		if tag != "" {
			changes = append(changes, header("If-Match", tag))
		}
		return s.do(t, http.MethodPost, fmt.Sprintf("%s/revisions/%d/restore", savedVideo, number), nil, changes...)
	}
	assert.Equal(t, http.StatusPreconditionRequired, restore(1, "").StatusCode)
	assert.Equal(t, http.StatusPreconditionFailed, restore(1, `"2"`).StatusCode)
	assert.Equal(t, http.StatusNotFound, restore(9, `"3"`).StatusCode)
	back := restore(1, `"3"`)
	require.Equal(t, http.StatusOK, back.StatusCode, back.body)
	assert.Equal(t, first.line(t, 0), back.line(t, 0))
	assert.InDelta(t, 4, back.object(t)["revision"], 0)
	assert.JSONEq(t, back.body, s.get(t, savedVideo).body)
	assert.InDelta(t, 4, restore(1, `"3"`).object(t)["revision"], 0, "the answer was lost, and the request comes again")
	assert.Equal(t, []string{"4 restore 1", "3 edit 1", "2 edit 1", "1 original 0"}, s.get(t, savedVideo+"/revisions").history(t))
	assert.Empty(t, s.get(t, "/v1/library/search?q=three").object(t)["items"])

	require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, savedVideo, nil).StatusCode)
	require.Equal(t, http.StatusOK, s.postJSON(t, `{"url": "`+video+`"}`).StatusCode)
	assert.Equal(t, []string{"1 original 0"}, s.get(t, savedVideo+"/revisions").history(t), "removed with the text")
}

func TestImport(t *testing.T) {
	t.Parallel()
	s := start(t)
	const vtt = "WEBVTT\n\n00:01.000 --> 00:02.500\n<v Ada>Hello &lt;b&gt;\n\n00:03.000 --> 00:04.000\nGood bye\n"
	made := s.putFile(t, "?language=EN", "text/vtt", vtt)
	require.Equal(t, http.StatusCreated, made.StatusCode, made.body)
	assert.InDelta(t, 1, made.object(t)["revision"], 0)
	assert.Equal(t, map[string]any{"text": "Hello <b>", "start": 1.0, "duration": 1.5, "speaker": "Ada"}, made.line(t, 0))
	tr := made.object(t)["transcript"].(map[string]any)
	assert.Equal(t, []any{"manual", "en", 4.0}, []any{tr["source"], tr["lang"], tr["durationSec"]})
	assert.Equal(t, "https://video.example/watch?v="+video, tr["sourceUrl"])
	assert.JSONEq(t, made.body, s.get(t, savedVideo).body)
	assert.Equal(t, []string{"1 import 2"}, s.get(t, savedVideo+"/revisions").history(t))
	assert.Len(t, s.get(t, "/v1/library/search?q=bye").object(t)["items"], 1)
	assert.NotContains(t, s.get(t, "/v1/usage").body, `"used":1`, "an import uses no allowance")

	assert.Equal(t, http.StatusOK, s.putFile(t, "", "text/vtt", vtt, header("If-None-Match", "*")).StatusCode, "the answer was lost, and the file comes again")
	assert.Equal(t, http.StatusPreconditionFailed, s.putFile(t, "", "text/plain", "x", header("If-None-Match", "*")).StatusCode)
	assert.Equal(t, http.StatusPreconditionRequired, s.putFile(t, "", "text/plain", "x").StatusCode)
	assert.Equal(t, http.StatusPreconditionFailed, s.putFile(t, "", "text/plain", "x", header("If-Match", `"2"`)).StatusCode)
	assert.Equal(t, http.StatusNotFound, s.putFile(t, "?language=fr", "text/plain", "x", header("If-Match", "*")).StatusCode)

	srt := s.putFile(t, "?language=en", "application/x-subrip", "1\n00:00:01,000 --> 00:00:02,000\nBonjour --> toi\n", header("If-Match", `"1"`))
	require.Equal(t, http.StatusOK, srt.StatusCode, srt.body)
	assert.Equal(t, "Bonjour --> toi", srt.line(t, 0)["text"])
	file := s.get(t, savedVideo+"/download?format=srt")
	assert.Equal(t, 1, strings.Count(file.body, "-->"), "the text makes no arrow: %s", file.body)

	plain := s.putFile(t, "", "text/plain", "\ufeffSalut toi\n", header("If-Match", `"2"`))
	assert.Equal(t, map[string]any{"text": "Salut toi", "start": 1.0, "duration": 1.0}, plain.line(t, 0), "as many lines: their times")
	text := s.putFile(t, "", "text/plain; charset=utf-8", "[00:00:01] one\n\n[00:00:03] two", header("If-Match", "*"))
	assert.Equal(t, map[string]any{"text": "two", "start": 3.0, "duration": 1.0}, text.line(t, 1))
	shared := s.putFile(t, "", "text/plain", "ab\ncd\nefgh", header("If-Match", "*"))
	assert.Equal(t, map[string]any{"text": "efgh", "start": 2.0, "duration": 2.0}, shared.line(t, 2), "the length of the media, by characters")

	require.Equal(t, http.StatusOK, s.postJSON(t, `{"url": "`+video+`", "waitMs": 10000}`).StatusCode)
	assert.Equal(t, "efgh", s.get(t, savedVideo).line(t, 2)["text"], "a request does not replace the import")
	for name, file := range map[string][2]string{
		"empty": {"text/plain", " \n"}, "not UTF-8": {"text/plain", "\xff"}, "no captions": {"text/vtt", "hello"},
		"a cue is lost": {"text/vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\na\n\nnever --> ever\nb\n"},
	} {
		a := s.putFile(t, "", file[0], file[1], header("If-Match", "*"))
		assert.Equal(t, http.StatusUnprocessableEntity, a.StatusCode, "%s: %s", name, a.body)
		assert.Equal(t, []string{"body"}, a.issuePaths(t), name)
	}
	for query, want := range map[string][]string{"?language=asr": {"language"}, "?language=fr,de": {"language"}} {
		assert.Equal(t, want, s.putFile(t, query, "text/plain", "x").issuePaths(t), query)
	}
	assert.Equal(t, http.StatusUnsupportedMediaType, s.putFile(t, "", "application/json", `"x"`).StatusCode)
	const upload = "/v1/library/transcripts/upload/0123456789abcdef0123456789abcdef"
	a := s.do(t, http.MethodPut, upload+"?language=en", strings.NewReader("mine"), header("Content-Type", "text/plain"))
	require.Equal(t, http.StatusCreated, a.StatusCode, a.body)
	assert.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, upload, nil).StatusCode)
	assert.Equal(t, http.StatusNotFound, s.get(t, upload).StatusCode)
}
