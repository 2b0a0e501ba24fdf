package server_test

import (
	"encoding/json"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

const chunksPath = "/v1/library/transcripts/video_site/" + video + "/chunks"

// sentencesOf is a text of so many sentences of 50 characters, each with its number.
func sentencesOf(n int, about string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = "Number " + string(rune('A'+i%26)) + " " + about + " "
		all[i] += strings.Repeat("x", 49-len(all[i])) + "."
	}
	return strings.Join(all, " ")
}

func (s *service) chunks(t *testing.T, query string, changes ...change) (library.ChunkPage, *answer) {
	t.Helper()
	a := s.get(t, chunksPath+query, changes...)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	var page library.ChunkPage
	require.NoError(t, json.Unmarshal([]byte(a.body), &page))
	return page, a
}

func TestChunks(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *server.Config) {
		c.Sites = sites(t, map[transcript.Platform]site.Site{transcript.VideoSite: {
			Hosts: []string{"video.example"}, Canonical: "https://video.example/watch?v={id}", At: "https://video.example/watch?v={id}&t={t}",
		}})
	})
	s.saved(t, "A talk", sentencesOf(40, "of the talk"))
	whole, _ := s.chunks(t, "?maxChars=200")
	require.Len(t, whole.Chunks, 14, "of three sentences each")
	assert.Equal(t, "en", whole.Lang)
	for i, c := range whole.Chunks {
		assert.Equal(t, i, c.Index)
		if i == 4 { // 12 of 40 sentences take 3 of 10 seconds
			assert.Equal(t, 3.001, c.Start)
			require.NotNil(t, c.URL)
			assert.Equal(t, "https://video.example/watch?v="+video+"&t=3", *c.URL)
		}
	}
	assert.Empty(t, whole.NextPageToken)

	var paged []transcript.Chunk
	for token, pages := "", 0; ; pages++ {
		page, _ := s.chunks(t, "?maxChars=200&maxResults=5"+token)
		paged = append(paged, page.Chunks...)
		if page.NextPageToken == "" {
			assert.Equal(t, 2, pages)
			break
		}
		token = "&pageToken=" + page.NextPageToken
	}
	assert.Equal(t, whole.Chunks, paged)

	full, _ := s.chunks(t, "?maxChars=200&maxResults=14")
	assert.Empty(t, full.NextPageToken, "a full last page is the last one")

	overlapping, _ := s.chunks(t, "?maxChars=200&overlapChars=60")
	assert.Equal(t, whole.Chunks[0].Text[102:], overlapping.Chunks[1].Text[:50])
}

func TestChunkTags(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.saved(t, "A talk", sentencesOf(40, "of the talk"))
	tags := map[string]string{}
	for _, query := range []string{"", "?maxChars=300", "?overlapChars=10", "?maxResults=1"} {
		_, a := s.chunks(t, query)
		tag := a.Header.Get("ETag")
		assert.NotContains(t, tags, tag, query)
		tags[tag] = query
		again := s.get(t, chunksPath+query, header("If-None-Match", tag))
		assert.Equal(t, http.StatusNotModified, again.StatusCode)
		assert.Empty(t, again.body)
	}
}

func TestChunkBounds(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.saved(t, "A talk", "Hello.")
	for query, field := range map[string]string{
		"maxChars=199": "maxChars", "overlapChars=501": "overlapChars", "maxResults=201": "maxResults", "pageToken=nothing": "pageToken",
		"maxChars=200&overlapChars=500": "", "other=1": "",
	} {
		a := s.get(t, chunksPath+"?"+query)
		if field == "" {
			assert.Equal(t, http.StatusOK, a.StatusCode, "%s: %s", query, a.body)
			continue
		}
		assert.Equal(t, http.StatusBadRequest, a.StatusCode, query)
		assert.Contains(t, a.body, `"path":"`+field+`"`, query)
	}
	for path, status := range map[string]int{
		strings.Replace(chunksPath, video, "unknown-vid", 1):    http.StatusNotFound,
		strings.Replace(chunksPath, video, "no-id", 1):          http.StatusNotFound,
		strings.Replace(chunksPath, "video_site", "no_site", 1): http.StatusNotFound,
		chunksPath + "?language=de":                             http.StatusNotFound,
	} {
		assert.Equal(t, status, s.get(t, path).StatusCode, path)
	}
}

// A page token is good for the list that it is of, as long as its text says the same.
func TestChunkTokens(t *testing.T) {
	t.Parallel()
	s := start(t, onPlan(forgetful))
	text := sentencesOf(40, "of the talk")
	s.saved(t, "A talk", text)
	first, _ := s.chunks(t, "?maxChars=200&maxResults=5")
	next := "&pageToken=" + first.NextPageToken
	refused := func(query, why string, changes ...change) {
		t.Helper()
		a := s.get(t, chunksPath+query, changes...)
		assert.Equal(t, http.StatusBadRequest, a.StatusCode, a.body)
		assert.Contains(t, a.body, `"path":"pageToken"`)
		assert.Contains(t, a.body, why)
	}
	refused("?maxChars=300"+next, "belongs to another list")
	refused("?maxChars=200&overlapChars=1"+next, "belongs to another list")
	refused("?maxChars=200&language=en"+next, "belongs to another list")
	refused("?maxChars=200"+next, "belongs to another list", as(s.NewKey(t, "globex")))
	refused("?maxChars=200"+next+"A", "is no token")

	// Made anew with the same text, it goes on.
	s.saved(t, "A talk", text)
	second, _ := s.chunks(t, "?maxChars=200&maxResults=5"+next)
	assert.Equal(t, 5, second.Chunks[0].Index)
	again, _ := s.chunks(t, "?maxChars=200&maxResults=5")
	assert.Equal(t, first.Chunks, again.Chunks, "with the same ids")

	// When another language is the newest, it goes on with its own.
	s.Engine.SetTracks(servertest.Track{Lang: "de", Text: "Guten Tag."}, servertest.Track{Lang: "en", Text: text})
	a := s.postJSON(t, `{"url": "`+video+`", "language": "de", "waitMs": 10000}`)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	newest, _ := s.chunks(t, "?maxChars=200")
	assert.Equal(t, "de", newest.Lang)
	second, _ = s.chunks(t, "?maxChars=200&maxResults=5"+next)
	assert.Equal(t, "en", second.Lang)

	s.saved(t, "A talk", sentencesOf(40, "of another talk"))
	refused("?maxChars=200"+next, "an older version of the text")
}

// Of recognized texts the words tell when a chunk begins, and a read that asks for them
// has them.
func TestWords(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Engine.Say("one two three four")
	a := s.upload(t, "a talk")
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	assert.NotContains(t, a.body, `"words"`)
	path := "/v1/library/transcripts/upload/" + a.object(t)["transcript"].(map[string]any)["externalId"].(string)
	plain, timed := s.get(t, path), s.get(t, path+"?include=words")
	require.Equal(t, http.StatusOK, timed.StatusCode, timed.body)
	assert.NotContains(t, plain.body, `"words"`)
	assert.NotEqual(t, plain.Header.Get("ETag"), timed.Header.Get("ETag"))
	var saved library.Saved
	require.NoError(t, json.Unmarshal([]byte(timed.body), &saved))
	var words []transcript.Word
	for _, segment := range saved.Transcript.Segments {
		words = append(words, segment.Words...)
	}
	assert.Equal(t, []transcript.Word{{Text: "one", End: 2.5}, {Text: "two", Start: 2.5, End: 5}, {Text: "three", Start: 5, End: 7.5}, {Text: "four", Start: 7.5, End: 10}}, words)
	assert.Equal(t, http.StatusNotModified, s.get(t, path+"?include=words", header("If-None-Match", timed.Header.Get("ETag"))).StatusCode)
	for _, wrong := range []string{"?include=word", "?include=", "?include=words&include=words", "?include=words,chapters"} {
		a := s.get(t, path+wrong)
		assert.Equal(t, http.StatusBadRequest, a.StatusCode, wrong)
		assert.Contains(t, a.body, `"path":"include"`)
	}
}

// What a platform says of chapters is put in order, shown where metadata is, and divides
// the chunks; recognized texts have it too.
func TestChapters(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "Hello."})
	s.Engine.SetMetadata(transcript.Metadata{Title: "A talk", Duration: 10, Chapters: []transcript.Chapter{
		{Start: -1, Title: "before"}, {Start: math.NaN(), Title: "never"}, {Start: 0}, {Start: 1, Title: " The\x00 sea\n"},
		{Start: 1, Title: "again"}, {Start: 0.5, Title: "back"}, {Start: 7, Title: strings.Repeat("é", 201)}, {Start: math.Inf(1), Title: "end"},
	}})
	want := []any{map[string]any{"title": "The sea", "start": 1.0}, map[string]any{"title": strings.Repeat("é", 200), "start": 7.0}}
	for _, language := range []string{"en", "asr-en"} {
		a := s.postJSON(t, `{"url": "`+video+`", "language": "`+language+`", "sendMetadata": true, "waitMs": 10000}`)
		require.Equal(t, http.StatusOK, a.StatusCode, a.body)
		assert.Equal(t, want, a.object(t)["metadata"].(map[string]any)["chapters"], language)
		a = s.postJSON(t, `{"url": "`+video+`", "language": "`+language+`", "waitMs": 10000}`)
		assert.NotContains(t, a.body, "The sea")
		a = s.get(t, strings.TrimSuffix(chunksPath, "/chunks"))
		assert.Equal(t, want, a.object(t)["transcript"].(map[string]any)["metadata"].(map[string]any)["chapters"], language)
		page, _ := s.chunks(t, "")
		assert.Equal(t, "The sea", page.Chunks[0].Chapter)
	}
}
