package server_test

import (
	"cmp"
	"encoding/json"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const downloadPath = "/v1/library/transcripts/video_site/" + video + "/download"

// saved has a video with the title and the text in its library.
func (s *service) saved(t testing.TB, title, text string) {
	t.Helper()
	s.Engine.SetMetadata(transcript.Metadata{Title: title, Channel: "Talks", Duration: 10})
	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: text})
	a := s.postJSON(t, `{"url": "`+video+`", "waitMs": 10000}`)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
}

func TestDownload(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.saved(t, `A talk: "<b>" & more`, "hello <b>world</b>")
	cue := "00:00:00%s000 --> 00:00:"
	for format, want := range map[string]struct{ media, begins, has string }{
		"txt":                         {"text/plain; charset=utf-8", "[00:00:00] hello", "hello <b>world</b>"},
		"txt&includeTimestamp=false":  {"text/plain; charset=utf-8", "hello", "hello <b>world</b>"},
		"txt&speakers=true":           {"text/plain; charset=utf-8", "[00:00:00] hello", "hello"},
		"srt":                         {"application/x-subrip; charset=utf-8", "1\n" + strings.Replace(cue, "%s", ",", 1), "hello < b>world< /b>"},
		"vtt":                         {"text/vtt; charset=utf-8", "WEBVTT\n\n" + strings.Replace(cue, "%s", ".", 1), "hello &lt;b&gt;world"},
		"md":                          {"text/markdown; charset=utf-8", `# A talk: "\<b\>" \& more`, "[00:00:00] hello"},
		"md&includeTimestamp=false":   {"text/markdown; charset=utf-8", `# A talk`, "\nhello \\<b\\>world"},
		"json":                        {"application/json; charset=utf-8", `{"id":"`, `"text":"hello <b>world</b>"`},
		"vtt-words":                   {"text/vtt; charset=utf-8", "WEBVTT\n\n" + strings.Replace(cue, "%s", ".", 1), "hello &lt;b&gt;world"},
		"podcast":                     {"application/json; charset=utf-8", `{"version":"1.0.0","segments":[{"startTime":0,"endTime":10,"body":"hello`, ""},
		"lrc":                         {"text/plain; charset=utf-8", "[00:00.00]hello", "hello <b>world</b>"},
		"html&speakers=true":          {"text/html; charset=utf-8", "<!doctype html>", "<time>[00:00:00]</time> hello &lt;b&gt;world"},
		"html&includeTimestamp=false": {"text/html; charset=utf-8", "<!doctype html>", ">hello &lt;b&gt;world"},
		"docx":                        {"application/vnd.openxmlformats-officedocument.wordprocessingml.document", "PK", "word/document.xml"},
		"srt&language=en":             {"application/x-subrip; charset=utf-8", "1\n", "hello"},
		"vtt&includeTimestamp=false&speakers=true&other=1": {"text/vtt; charset=utf-8", "WEBVTT\n", "hello"}, // means nothing there
	} {
		a := s.get(t, downloadPath+"?format="+format)
		require.Equal(t, http.StatusOK, a.StatusCode, "%s: %s", format, a.body)
		assert.Equal(t, want.media, a.Header.Get("Content-Type"), format)
		assert.True(t, strings.HasPrefix(a.body, want.begins), "%s: %s", format, a.body)
		assert.Contains(t, a.body, want.has, format)
		assert.Equal(t, "private, no-cache", a.Header.Get("Cache-Control"))
		extension := strings.Split(format, "&")[0]
		name := "a-talk-b-more." + cmp.Or(map[string]string{"vtt-words": "words.vtt", "podcast": "podcast.json"}[extension], extension)
		assert.Equal(t, `attachment; filename=`+name+`; filename*=UTF-8''`+name, a.Header.Get("Content-Disposition"))
		assert.EqualValues(t, len(a.body), a.ContentLength)

		again := s.get(t, downloadPath+"?format="+format, header("If-None-Match", a.Header.Get("ETag")))
		assert.Equal(t, http.StatusNotModified, again.StatusCode, format)
		assert.Empty(t, again.body)
		assert.Equal(t, a.Header.Get("ETag"), again.Header.Get("ETag"))
		head := s.do(t, http.MethodHead, downloadPath+"?format="+format, nil, as(s.Key))
		assert.Equal(t, http.StatusOK, head.StatusCode)
		assert.Empty(t, head.body)
		assert.Equal(t, a.Header.Get("ETag"), head.Header.Get("ETag"))
		assert.Equal(t, a.ContentLength, head.ContentLength)
	}
	var whole transcript.Transcript
	require.NoError(t, json.Unmarshal([]byte(s.get(t, downloadPath+"?format=json").body), &whole))
	require.NotEmpty(t, whole.Segments)
	assert.Equal(t, video, whole.ExternalID)
}

// Files that differ have tags that differ, and no others.
func TestDownloadTags(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.saved(t, "A talk", "hello world")
	tags := map[string][]string{}
	for _, query := range []string{
		"txt", "txt&includeTimestamp=true", "txt&speakers=false", "txt&language=en", "txt&includeTimestamp=false", "txt&speakers=true",
		"srt", "srt&includeTimestamp=false", "srt&speakers=true", "vtt", "vtt&speakers=true", "json", "json&includeTimestamp=false", "md", "md&includeTimestamp=false",
		"docx", "docx&speakers=true", "docx&includeTimestamp=false", "html",
	} {
		tag := s.get(t, downloadPath+"?format="+query).Header.Get("ETag")
		tags[tag] = append(tags[tag], query)
	}
	assert.Len(t, tags, 12, "%v", tags)
	assert.NotContains(t, tags, s.get(t, strings.TrimSuffix(downloadPath, "/download")).Header.Get("ETag"))
}

func TestDownloadNames(t *testing.T) {
	t.Parallel()
	s := start(t)
	for title, want := range map[string]struct{ plain, full string }{
		"日本語の題名":            {"transcript.srt", "日本語の題名.srt"},
		"ﷺ":                 {"transcript.srt", "ﷺ.srt"},
		"Résumé 日本":         {"resume.srt", "résumé-日本.srt"},
		"../../etc/passwd":  {"etc-passwd.srt", "etc-passwd.srt"},
		"con":               {"con_.srt", "con_.srt"},
		"":                  {video + ".srt", video + ".srt"},
		"\"; filename=evil": {"filename-evil.srt", "filename-evil.srt"},
	} {
		text := corrected("en", "hello world")
		text.Title = &title
		_, err := s.PutTranscript(t.Context(), servertest.Account, text)
		require.NoError(t, err)
		disposition := s.get(t, downloadPath+"?format=srt").Header.Get("Content-Disposition")
		plain, full, found := strings.Cut(disposition, "; filename*=UTF-8''")
		require.True(t, found, title)
		assert.Equal(t, "attachment; filename="+want.plain, strings.ReplaceAll(plain, `"`, ""))
		name, err := url.PathUnescape(full)
		require.NoError(t, err)
		assert.Equal(t, want.full, name)
		_, _, err = mime.ParseMediaType(plain)
		assert.NoError(t, err)
	}
}

func TestDownloadThatIsWrong(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.saved(t, "A talk", "hello world")
	for query, paths := range map[string][]string{
		"":                                {"format"},
		"?format=zip":                     {"format"},
		"?format=doc&speakers=&language=": {"format", "language", "speakers"},
	} {
		a := s.get(t, downloadPath+query)
		assert.Equal(t, http.StatusBadRequest, a.StatusCode, query)
		assert.Equal(t, "INVALID_REQUEST", a.failure(t)["code"], query)
		assert.ElementsMatch(t, paths, a.issuePaths(t), query)
	}
	for path, code := range map[string]string{
		downloadPath + "?format=txt&language=de":                                              "NO_TRANSCRIPT",
		"/v1/library/transcripts/video_site/unknown-vid/download?format=txt":                  "NO_TRANSCRIPT",
		"/v1/library/transcripts/upload/0123456789abcdef0123456789abcdef/download?format=txt": "NO_TRANSCRIPT",
		"/v1/library/transcripts/video_site/..%2f/download?format=txt":                        "not_found",
		"/v1/library/transcripts/video_site/short/download?format=txt":                        "not_found",
		"/v1/library/transcripts/other_site/" + video + "/download?format=txt":                "not_found",
	} {
		a := s.get(t, path)
		assert.Equal(t, http.StatusNotFound, a.StatusCode, path)
		if code == "not_found" {
			assert.Equal(t, code, a.slug(t), path)
			continue
		}
		assert.Equal(t, code, a.failure(t)["code"], path)
	}
	assert.Equal(t, http.StatusMethodNotAllowed, s.do(t, http.MethodPost, downloadPath+"?format=txt", nil, as(s.Key)).StatusCode)
}

// A tag with a control character names nothing, and some of them no database takes.
func TestTagsWithControlCharacters(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.saved(t, "A talk", "hello world")
	saved := "/v1/library/transcripts/video_site/" + video
	for _, tag := range []string{"%00", "en%00", "%0a", "en%7f"} {
		for method, path := range map[string]string{
			"GET 1":    saved + "?language=",
			"GET 2":    saved + "/download?format=txt&language=",
			"GET 3":    saved + "/chunks?language=",
			"GET 4":    "/v1/library/transcripts?lang=",
			"GET 5":    "/v1/library/search?q=hello&lang=",
			"PUT 1":    saved + "/star?language=",
			"DELETE 1": saved + "/star?language=",
			"DELETE 2": saved + "?language=",
		} {
			method, _, _ = strings.Cut(method, " ")
			a := s.do(t, method, path+tag, nil)
			require.Equal(t, http.StatusBadRequest, a.StatusCode, "%s %s%s: %s", method, path, tag, a.body)
			assert.Regexp(t, "^lang(uage)?$", a.issuePaths(t)[0])
		}
	}
	assert.Equal(t, http.StatusOK, s.get(t, saved+"?language=en").StatusCode)
}

// The times of words are in the file that asks for them, and in no other.
func TestDownloadWithTimesOfWords(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, err := s.PutTranscript(t.Context(), servertest.Account, transcript.Transcript{
		Platform: transcript.VideoSite, ExternalID: video, Lang: "en",
		Segments: []transcript.Segment{{Text: "hello & world", Start: 1, Duration: 2, Words: []transcript.Word{
			{Text: "hello", Start: 1, End: 1.5}, {Text: "&", Start: 1.5, End: 2}, {Text: "world", Start: 2, End: 3},
		}}},
	})
	require.NoError(t, err)
	assert.Equal(t, "WEBVTT\n\n00:00:01.000 --> 00:00:03.000\nhello <00:00:01.500>&amp; <00:00:02.000>world\n", s.get(t, downloadPath+"?format=vtt-words").body)
	assert.Equal(t, "WEBVTT\n\n00:00:01.000 --> 00:00:03.000\nhello &amp; world\n", s.get(t, downloadPath+"?format=vtt").body)
}
