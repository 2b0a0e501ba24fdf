package server_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// described is a recognizer that describes itself in another way.
type described struct {
	engine.Recognizer
	info engine.RecognizerInfo
}

func (d described) Info() engine.RecognizerInfo { return d.info }

// describing makes the service's recognizer one that says of itself what it is given.
func describing(info engine.RecognizerInfo) func(*server.Config) {
	return func(c *server.Config) {
		info.Languages = []string{"en"}
		all := c.Engine
		c.Engine = func(h engine.Host) (engine.Engine, error) {
			e, err := all(h)
			e.Recognizer = described{e.Recognizer, info}
			return e, err
		}
	}
}

// Every answer with a recognized text says what has heard it, whatever was asked to be
// shown, and wherever the answer comes from.
func TestRecognizerInEveryAnswer(t *testing.T) {
	t.Parallel()
	s := start(t, describing(engine.RecognizerInfo{
		Name: "ears", Model: "small", ModelSHA256: "5a", Quality: `fair: "segments":[] and a tenth of the words`,
	}))
	want := map[string]any{"engine": "ears", "model": "small", "quality": `fair: "segments":[] and a tenth of the words`}
	views := map[string][]part{
		"segments":           {},
		"text":               {field("format", "text")},
		"text without times": {field("format", "text"), field("includeTimestamp", "false")},
		"metadata":           {field("sendMetadata", "true")},
	}
	check := func(name string, a *answer) map[string]any {
		t.Helper()
		require.Equal(t, http.StatusOK, a.StatusCode, "%s: %s", name, a.body)
		o := a.object(t)
		assert.Equal(t, want, o["recognizer"], name)
		return o
	}
	var id string
	for name, view := range views {
		once := header("Idempotency-Key", "of "+name)
		parts := append(view, file(name), field("waitMs", "10000"))
		o := check(name, s.postForm(t, parts, once))
		assert.Equal(t, false, o["cached"], name)
		check(name+", replayed", s.postForm(t, parts, once))
		o = check(name+", cached", s.postForm(t, parts))
		assert.Equal(t, true, o["cached"], name)
		if o, whole := o["transcript"].(map[string]any); whole {
			id = o["externalId"].(string)
		}
	}

	job := s.job(t, "another", header("Idempotency-Key", "of a job"))
	events := s.open(t, job).all(t)
	assert.Equal(t, want, events[len(events)-1].object(t)["recognizer"], "the end of the stream")
	check("job", s.get(t, jobPath(job)))
	check("job as text", s.get(t, jobPath(job)+"?format=text&includeTimestamp=false"))

	saved := "/v1/library/transcripts/upload/" + id
	for _, path := range []string{saved, saved + "?include=words", saved} {
		a := s.get(t, path)
		o := check(path, a)
		assert.Equal(t, http.StatusNotModified, s.get(t, path, header("If-None-Match", a.Header.Get("ETag"))).StatusCode)
		told := o["transcript"].(map[string]any)["metadata"].(map[string]any)
		assert.Equal(t, "5a", told["modelSHA256"])
	}
	told := s.get(t, saved+"/download?format=json").object(t)["metadata"].(map[string]any)
	assert.Equal(t, []any{"ears", "small", "5a", want["quality"]}, []any{told["engine"], told["model"], told["modelSHA256"], told["quality"]})

	res, _, err := s.Submit(t.Context(), s.acme(t), transcript.Request{Source: media("another"), Format: transcript.Text})
	require.NoError(t, err)
	require.NotNil(t, res.Recognizer)
	assert.Equal(t, "ears", res.Recognizer.Engine)

	var read library.Saved
	require.NoError(t, json.Unmarshal([]byte(s.get(t, saved).body), &read))
	require.NotNil(t, read.Recognizer)
	assert.Equal(t, "small", *read.Recognizer.Model)
}

// What a recognizer does not tell of itself is null.
func TestRecognizerWithoutAModel(t *testing.T) {
	t.Parallel()
	s := start(t, describing(engine.RecognizerInfo{Name: "ears"}))
	o := s.upload(t, "a file").object(t)
	assert.Equal(t, map[string]any{"engine": "ears", "model": nil, "quality": nil}, o["recognizer"])
}

// An answer with a text that nobody has heard has no such member.
func TestRecognizerOfWhatNobodyHeard(t *testing.T) {
	t.Parallel()
	s := start(t)
	check := func(name string, a *answer, source any) {
		t.Helper()
		require.Equal(t, http.StatusOK, a.StatusCode, "%s: %s", name, a.body)
		o := a.object(t)
		assert.Equal(t, source, o["transcript"].(map[string]any)["source"], name)
		assert.NotContains(t, o, "recognizer", name)
	}
	check("captions", s.link(t, video), "video_site_downloader")
	check("captions, saved", s.get(t, savedVideo), "video_site_downloader")

	put := corrected("en", "ours")
	put.Metadata = map[string]any{"engine": "ears", "model": "small"}
	_, err := s.PutTranscript(t.Context(), "acme", put)
	require.NoError(t, err)
	check("put in", s.link(t, video), "manual")
	check("put in, saved", s.get(t, savedVideo), "manual")

	s.Engine.SetMedia(servertest.Media{Silent: true})
	check("silence", s.upload(t, "a file"), "asr")
}

// A sound without speech is in no language, whatever the recognizer listens for.
func TestNothingHeardIsSaid(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Engine.SetRecognize(func(context.Context, int, engine.Audio, engine.RecognizeOptions) (engine.Recognition, error) {
		return engine.Recognition{Language: "en"}, nil
	})
	a := s.postForm(t, []part{field("waitMs", "10000"), field("sendMetadata", "true"), file("a tone")})
	require.Equal(t, http.StatusOK, a.StatusCode, "%s", a.body)
	result := a.object(t)
	text := result["transcript"].(map[string]any)
	assert.Equal(t, "und", result["language"])
	assert.Equal(t, "und", text["lang"])
	assert.Empty(t, text["segments"])
	assert.Equal(t, true, text["metadata"].(map[string]any)["nothingHeard"])

	s.Engine.SetRecognize(func(_ context.Context, _ int, a engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
		return servertest.Heard("some \x1b[2Jwords", a.Duration), nil
	})
	a = s.postForm(t, []part{field("waitMs", "10000"), field("sendMetadata", "true"), file("a talk")})
	require.Equal(t, http.StatusOK, a.StatusCode, "%s", a.body)
	text = a.object(t)["transcript"].(map[string]any)
	assert.Equal(t, "en", text["lang"])
	assert.Equal(t, "some \ufffd[2Jwords", text["segments"].([]any)[0].(map[string]any)["text"])
	assert.NotContains(t, text["metadata"], "nothingHeard")
}
