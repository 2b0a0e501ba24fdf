package server_test

import (
	"crypto/sha256"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// corrected is a text in a language that people have made of the video.
func corrected(language, text string) transcript.Transcript {
	return transcript.Transcript{
		Platform: transcript.VideoSite, ExternalID: video, Lang: language, Title: new("A talk"),
		Segments: []transcript.Segment{{Text: text, Start: 0.5, Duration: 1.5, Words: []transcript.Word{{Text: text, Start: 0.5, End: 2}}}, {Text: "the end", Start: 2, Duration: 3}},
	}
}

// What is put in answers requests, before captions and recognition, and costs nothing.
func TestPutTranscript(t *testing.T) {
	t.Parallel()
	everyWay(t, "", func(t *testing.T, start starter) {
		s := start(t)
		s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "captions"}, servertest.Track{Lang: "de", Text: "Untertitel"})
		said, source := text(t, s.link(t, video))
		require.Equal(t, []any{"captions", "video_site_downloader"}, []any{said, source})

		shared, err := s.PutTranscript(t.Context(), "", corrected("en", "ours"))
		require.NoError(t, err)
		globex := as(s.NewKey(t, "globex"))
		for name, c := range map[string]struct{ list, want string }{
			"the default":       {"", "ours"},
			"its region":        {"en-US", "ours"},
			"another language":  {"de", "Untertitel"},
			"recognition first": {"asr", "hello world"},
		} {
			body := `{"url": "` + video + `", "waitMs": 10000, "sendMetadata": true}`
			if c.list != "" {
				body = strings.Replace(body, "{", `{"language": "`+c.list+`", `, 1)
			}
			a := s.postJSON(t, body, globex)
			said, source := text(t, a)
			assert.Equal(t, c.want, said, name)
			if c.want == "ours" {
				tr := a.object(t)["transcript"].(map[string]any)
				assert.Equal(t, "manual", source, name)
				assert.Equal(t, shared, tr["id"], name)
				assert.Equal(t, "A talk", tr["title"], name)
				assert.EqualValues(t, 5, tr["durationSec"], name)
				assert.Equal(t, "https://video.example/watch?v="+video, tr["sourceUrl"], name)
				assert.Equal(t, true, a.object(t)["cached"], name)
			}
		}
		a := s.captions(t, "en")
		assert.Equal(t, "ours", a.object(t)["transcript"].(map[string]any)["segments"].([]any)[0].(map[string]any)["text"], a.body)

		// Again: it keeps its id.
		again, err := s.PutTranscript(t.Context(), "", corrected("EN", "ours, mended"))
		require.NoError(t, err)
		assert.Equal(t, shared, again)
		said, _ = text(t, s.link(t, video))
		assert.Equal(t, "ours, mended", said)
		found := s.get(t, "/v1/library/search?q=mended")
		assert.Contains(t, found.body, `"hitCount":1`)
	})
}

// What is put in for an account is that account's, in its library, and goes from there.
func TestPutTranscriptForAnAccount(t *testing.T) {
	t.Parallel()
	everyWay(t, "", func(t *testing.T, start starter) {
		s := start(t)
		s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "captions"})
		_, err := s.PutTranscript(t.Context(), servertest.Account, corrected("en", "my own"))
		require.NoError(t, err)
		const saved = "/v1/library/transcripts/video_site/" + video
		read := s.get(t, saved+"?include=words")
		require.Equal(t, http.StatusOK, read.StatusCode, read.body)
		assert.Contains(t, read.body, "my own")
		assert.Contains(t, read.body, `"words"`)

		globex := as(s.NewKey(t, "globex"))
		said, _ := text(t, s.postJSON(t, `{"url": "`+video+`", "waitMs": 10000}`, globex))
		assert.Equal(t, "captions", said, "nobody else's")
		said, source := text(t, s.link(t, video))
		assert.Equal(t, []any{"my own", "manual"}, []any{said, source})
		assert.NotContains(t, s.get(t, "/v1/video_site/captions?videoId="+video, globex).body, "my own")

		gone := s.do(t, http.MethodDelete, saved, nil)
		require.Less(t, gone.StatusCode, 300, gone.body)
		said, _ = text(t, s.link(t, video))
		assert.Equal(t, "captions", said, "nothing of it is left")
		assert.Equal(t, 1, storetest.Count(t, s.options, "transcripts"), "nothing of it is left")
	})
}

// Where there are no captions, what is put in stands for what would be heard.
func TestPutTranscriptOfSound(t *testing.T) {
	t.Parallel()
	s := start(t)
	sum := sha256.Sum256([]byte("a file"))
	upload := corrected("de", "was ich sage")
	upload.Platform, upload.ExternalID = transcript.Upload, fmt.Sprintf("%x", sum[:16])
	_, err := s.PutTranscript(t.Context(), servertest.Account, upload)
	require.NoError(t, err)
	said, source := text(t, s.upload(t, "a file"))
	assert.Equal(t, []any{"was ich sage", "manual"}, []any{said, source})
	said, _ = text(t, s.upload(t, "a file", as(s.NewKey(t, "globex"))))
	assert.Equal(t, "hello world", said, "uploads are nobody else's")

	photo := corrected("en", "what is seen")
	photo.Platform, photo.ExternalID = transcript.PhotoSite, "C0ffeeBabe1"
	_, err = s.PutTranscript(t.Context(), "", photo)
	require.NoError(t, err)
	said, _ = text(t, s.link(t, "https://photos.example/p/C0ffeeBabe1"))
	assert.Equal(t, "what is seen", said)
	assert.Equal(t, 1, s.Engine.Recognitions())
}

// A job that waits when a text is put in ends with that.
func TestPutTranscriptForWhoWaits(t *testing.T) {
	t.Parallel()
	s := start(t, onPlan(func(p *account.Plan) { p.ASRConcurrency, p.ASRWaiting = 1, 10 }))
	release := s.Engine.HoldCaptions()
	defer release()
	var ids []string
	for n := range 6 { // more than are read at once
		a := s.postJSON(t, fmt.Sprintf(`{"url": "%s", "language": "en,x-%d", "waitMs": 0}`, video, n))
		require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
		ids = append(ids, a.object(t)["jobId"].(string))
	}
	_, err := s.PutTranscript(t.Context(), "", corrected("en", "ours"))
	require.NoError(t, err)
	release()
	ours := 0
	for _, id := range ids {
		job := s.ended(t, id)
		require.Equal(t, "success", job["status"], id)
		if job["transcript"].(map[string]any)["source"] == "manual" {
			ours++
		}
	}
	assert.GreaterOrEqual(t, ours, 2, "those that nobody had begun to read")
}

func TestPutTranscriptRefuses(t *testing.T) {
	t.Parallel()
	s := start(t)
	nan := math.NaN()
	for path, c := range map[string]struct {
		change func(*transcript.Transcript)
		code   transcript.Code
	}{
		"platform":     {func(tr *transcript.Transcript) { tr.Platform = "tv" }, transcript.UnsupportedPlatform},
		"id":           {func(tr *transcript.Transcript) { tr.ExternalID = "../x" }, transcript.InvalidVideo},
		"account":      {func(tr *transcript.Transcript) { tr.Platform = transcript.Upload }, transcript.InvalidRequest},
		"lang":         {func(tr *transcript.Transcript) { tr.Lang = "" }, transcript.InvalidRequest},
		"lang, two":    {func(tr *transcript.Transcript) { tr.Lang = "en,de" }, transcript.InvalidRequest},
		"lang, asr":    {func(tr *transcript.Transcript) { tr.Lang = "asr" }, transcript.InvalidRequest},
		"sourceUrl":    {func(tr *transcript.Transcript) { tr.SourceURL = new("javascript:alert(1)") }, transcript.InvalidRequest},
		"creatorUrl":   {func(tr *transcript.Transcript) { tr.CreatorURL = new("javascript:alert(1)") }, transcript.InvalidRequest},
		"thumbnailUrl": {func(tr *transcript.Transcript) { tr.ThumbnailURL = new("//only.example") }, transcript.InvalidRequest},
		"publishedAt": {func(tr *transcript.Transcript) {
			tr.PublishedAt = new(transcript.At(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)))
		}, transcript.InvalidRequest},
		"durationSec":            {func(tr *transcript.Transcript) { tr.DurationSec = new(-1) }, transcript.InvalidRequest},
		"metadata":               {func(tr *transcript.Transcript) { tr.Metadata = map[string]any{"f": nan} }, transcript.InvalidRequest},
		"segments":               {func(tr *transcript.Transcript) { tr.Segments = nil }, transcript.InvalidRequest},
		"segments, so many":      {func(tr *transcript.Transcript) { tr.Segments = make([]transcript.Segment, 100_001) }, transcript.InvalidRequest},
		"segments[1].text":       {func(tr *transcript.Transcript) { tr.Segments[1].Text = " " }, transcript.InvalidRequest},
		"segments[1].start":      {func(tr *transcript.Transcript) { tr.Segments[1].Start = 0 }, transcript.InvalidRequest},
		"segments[0].start":      {func(tr *transcript.Transcript) { tr.Segments[0].Start = nan }, transcript.InvalidRequest},
		"segments[0].duration":   {func(tr *transcript.Transcript) { tr.Segments[0].Duration = math.Inf(1) }, transcript.InvalidRequest},
		"segments[0].confidence": {func(tr *transcript.Transcript) { tr.Segments[0].Confidence = new(1.5) }, transcript.InvalidRequest},
		"segments[0].words[0]":   {func(tr *transcript.Transcript) { tr.Segments[0].Words[0].End = 0 }, transcript.InvalidRequest},
	} {
		tr := corrected("en", "ours")
		c.change(&tr)
		_, err := s.PutTranscript(t.Context(), "", tr)
		require.ErrorIs(t, err, c.code, path)
		if c.code == transcript.InvalidRequest {
			named, _, _ := strings.Cut(path, ",")
			assert.ErrorContains(t, err, named, path)
		}
	}
	_, err := s.PutTranscript(t.Context(), "acme", transcript.Transcript{Platform: transcript.Upload, ExternalID: "x"})
	require.ErrorIs(t, err, transcript.InvalidRequest)
	assert.Zero(t, storetest.Count(t, s.options, "transcripts"))
}

// Nothing of a text that is put in steers the terminal that it is read on.
func TestPutTranscriptWithControlCharacters(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, err := s.PutTranscript(t.Context(), "", corrected("en", "a\x1b[2Jb\u009b"))
	require.NoError(t, err)
	said, _ := text(t, s.link(t, video))
	assert.Equal(t, "a\ufffd[2Jb\ufffd", said)
}
