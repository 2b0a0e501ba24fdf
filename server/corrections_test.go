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
		`{"segments": [{"index": 0, "splitAt": 0}]}`:                              {422, "segments.0.splitAt"},
		`{"segments": [{"index": 0, "splitAt": 999}]}`:                            {422, "segments.0.splitAt"},
		`{"segments": [{"index": 0, "join": true}]}`:                              {422, "segments.0.join"},
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
		"another format": {"text/vtt", "1\n00:00:01,000 --> 00:00:02,000\na\n"}, "JSON of another kind": {"application/json", `{"x":1}`},
		"an event is lost": {"text/x-ssa", "[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,,,0,0,0,,a\nDialogue: 0,0:00:0x.00,0:00:03.00,,,0,0,0,,b\n"},
		"a cue is lost":    {"text/vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\na\n\nnever --> ever\nb\n"},
	} {
		a := s.putFile(t, "", file[0], file[1], header("If-Match", "*"))
		assert.Equal(t, http.StatusUnprocessableEntity, a.StatusCode, "%s: %s", name, a.body)
		assert.Equal(t, []string{"body"}, a.issuePaths(t), name)
	}
	for query, want := range map[string][]string{"?language=asr": {"language"}, "?language=fr,de": {"language"}} {
		assert.Equal(t, want, s.putFile(t, query, "text/plain", "x").issuePaths(t), query)
	}
	refused := s.putFile(t, "", "text/x-sbv", "0:00:01.000,0:00:02.000\na\n\n0:00:0x.000,0:00:03.000\nb\n", header("If-Match", "*"))
	assert.Contains(t, refused.body, "the first in line 4: these are no times")
	assert.Contains(t, refused.body, "Correct the file and send it again")
	doubtful := s.putFile(t, "", "application/x-subrip", "1\n00:00:01,000 --> 00:00:02,000\na\n\n2\n00:00:3,000 --> 00:00:04,000\nb\n", header("If-Match", "*"))
	assert.Contains(t, doubtful.body, "in line 6", "a digit is missing")
	for media, file := range map[string]string{
		"text/vtt":                        "WEBVTT\n\n00:01.000 -> 00:02.000\n<v Ann>one\n",
		"text/x-sbv":                      "0:00:01.000,0:00:02.000\none\n",
		"text/x-ssa":                      "[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,,Ann,0,0,0,,one\n",
		"application/json":                `{"version":"1.0.0","segments":[{"startTime":1,"endTime":2,"body":"one"}]}`,
		"application/json; charset=utf-8": `{"text":"one","segments":[{"start":1.0,"end":2.0,"text":" one"}]}`,
	} {
		a := s.putFile(t, "", media, file, header("If-Match", "*"))
		require.Equal(t, http.StatusOK, a.StatusCode, "%s: %s", media, a.body)
		line := a.line(t, 0)
		assert.Equal(t, []any{"one", 1.0, 1.0}, []any{line["text"], line["start"], line["duration"]}, media)
	}
	assert.Equal(t, http.StatusUnsupportedMediaType, s.putFile(t, "", "image/png", `"x"`).StatusCode)
	const upload = "/v1/library/transcripts/upload/0123456789abcdef0123456789abcdef"
	a := s.do(t, http.MethodPut, upload+"?language=en", strings.NewReader("mine"), header("Content-Type", "text/plain"))
	require.Equal(t, http.StatusCreated, a.StatusCode, a.body)
	assert.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, upload, nil).StatusCode)
	assert.Equal(t, http.StatusNotFound, s.get(t, upload).StatusCode)
}
