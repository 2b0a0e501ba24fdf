package server_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
)

func TestJSONBodies(t *testing.T) {
	t.Parallel()
	s := start(t)
	const link = `"url":"https://video.example/watch?v=dQw4w9WgXcQ"`
	const taken = 0 // 200 or 202
	big := `{` + link + `,"language":"` + strings.Repeat(" ", 1<<20) + `"}`
	for name, c := range map[string]struct {
		body   string
		status int
		paths  []string // of the issues of an INVALID_REQUEST
	}{
		"a link":                     {`{` + link + `}`, taken, nil},
		"all of it":                  {`{` + link + `,"language":"de, asr","format":"text","includeTimestamp":false,"sendMetadata":true,"waitMs":10000}`, taken, nil},
		"an id":                      {`{"platform":"video_site","externalId":"dQw4w9WgXcQ"}`, taken, nil},
		"an upload":                  {`{"platform":"upload"}`, 422, nil},
		"an upload's id":             {`{"platform":"upload","externalId":"dQw4w9WgXcQ"}`, 422, nil},
		"a whole number as a float":  {`{` + link + `,"waitMs":2e3}`, taken, nil},
		"white space round it":       {" \r\n{" + link + "}\n\t ", taken, nil},
		"nothing":                    {``, 400, []string{"body"}},
		"too large":                  {big, 400, []string{"body"}},
		"an empty object":            {`{}`, 400, []string{"url"}},
		"two sources":                {`{` + link + `,"platform":"video_site","externalId":"x"}`, 400, []string{"url"}},
		"half an id":                 {`{"platform":"video_site"}`, 400, []string{"externalId"}},
		"the other half":             {`{"externalId":"x"}`, 400, []string{"platform"}},
		"an unknown property":        {`{` + link + `,"lang":"en"}`, 400, []string{"lang"}},
		"a property twice":           {`{` + link + `,"waitMs":1,"waitMs":1}`, 400, []string{"waitMs"}},
		"a number for a string":      {`{"url":1}`, 400, []string{"url"}},
		"no language tag":            {`{` + link + `,"language":"english!"}`, 422, []string{"language"}},
		"the longest id":             {`{"platform":"video_site","externalId":"` + strings.Repeat("語", 512) + `"}`, 422, nil},
		"several faults of one kind": {`{` + link + `,"format":"srt","waitMs":-1}`, 422, []string{"format", "waitMs"}},
		"faults of two kinds":        {`{` + link + `,"format":"srt","lang":"en"}`, 400, []string{"lang", "format"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := s.postJSON(t, c.body)
			if c.status == taken {
				assert.Contains(t, []int{http.StatusOK, http.StatusAccepted}, a.StatusCode, a.body)
				return
			}
			require.Equal(t, c.status, a.StatusCode, a.body)
			e := a.failure(t)
			assert.NotEmpty(t, e["message"])
			if c.paths == nil {
				assert.NotEqual(t, "INVALID_REQUEST", e["code"])
				return
			}
			assert.Equal(t, "INVALID_REQUEST", e["code"])
			assert.Equal(t, c.paths, a.issuePaths(t))
		})
	}
}

func TestContentTypes(t *testing.T) {
	t.Parallel()
	s := start(t)
	for contentType, status := range map[string]int{
		"application/json":                   http.StatusOK,
		"Application/JSON; charset=utf-8":    http.StatusOK,
		"":                                   http.StatusUnsupportedMediaType,
		"text/plain":                         http.StatusUnsupportedMediaType,
		"application/json; charset":          http.StatusUnsupportedMediaType,
		"multipart/form-data; boundary=x; y": http.StatusUnsupportedMediaType,
		"multipart/form-data":                http.StatusBadRequest, // without a boundary
	} {
		a := s.do(t, http.MethodPost, "/v1/transcript", strings.NewReader(`{"url":"dQw4w9WgXcQ","waitMs":10000}`), func(r *http.Request) {
			r.Header["Content-Type"] = []string{contentType}
		})
		require.Equal(t, status, a.StatusCode, "%q: %s", contentType, a.body)
		if status == http.StatusUnsupportedMediaType {
			assert.Equal(t, "unsupported_media_type", a.slug(t))
		}
	}
	a := s.do(t, http.MethodPost, "/v1/transcript", nil, header("Content-Type", "multipart/form-data; boundary=x"))
	assert.Equal(t, http.StatusBadRequest, a.StatusCode)
	assert.Contains(t, a.failure(t)["message"], `body is missing: send a form with a part "file"`)

	// Before the key is looked at (a 415 stands before a 400).
	a = s.do(t, http.MethodPost, "/v1/transcript", strings.NewReader("x"), header("Content-Type", "text/plain"), header("Idempotency-Key", ""))
	assert.Equal(t, http.StatusUnsupportedMediaType, a.StatusCode)
}

func TestAnswerOfAnUpload(t *testing.T) {
	t.Parallel()
	s := start(t)
	a := s.upload(t, "the media")
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	o := a.object(t)
	assert.Equal(t, "success", o["status"])
	assert.Equal(t, "json", o["format"])
	assert.Equal(t, false, o["cached"])
	assert.Equal(t, "en", o["language"])
	assert.Equal(t, "partial", o["metadataStatus"])
	assert.EqualValues(t, 10, o["lengthSeconds"])
	assert.Equal(t, "0:10", o["lengthText"])
	text := o["transcript"].(map[string]any)
	assert.Equal(t, "upload", text["platform"])
	assert.Equal(t, "asr", text["source"])
	assert.Len(t, text["segments"], 1)

	again := s.upload(t, "the media").object(t)
	assert.Equal(t, true, again["cached"])
	assert.Equal(t, text["id"], again["transcript"].(map[string]any)["id"])
	other := s.upload(t, "the media", as(s.NewKey(t, "globex"))).object(t)
	assert.Equal(t, false, other["cached"], "another account's upload")
	assert.NotEqual(t, text["id"], other["transcript"].(map[string]any)["id"])
	assert.Equal(t, 2, s.Engine.Recognitions())
}

func TestWishes(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, c := range map[string]struct {
		fields []part
		check  func(t *testing.T, o map[string]any)
	}{
		"text": {[]part{field("format", "text")}, func(t *testing.T, o map[string]any) {
			assert.Equal(t, "[00:00:00] hello world", o["text"])
			assert.Equal(t, o["text"], o["transcript"])
		}},
		"text without times": {[]part{field("format", "text"), field("includeTimestamp", "false")}, func(t *testing.T, o map[string]any) {
			assert.Equal(t, "hello world", o["text"])
		}},
		"metadata": {[]part{field("sendMetadata", "true")}, func(t *testing.T, o map[string]any) {
			assert.Equal(t, "talk", o["transcript"].(map[string]any)["title"])
		}},
		"no metadata": {nil, func(t *testing.T, o map[string]any) {
			assert.Nil(t, o["transcript"].(map[string]any)["title"])
		}},
		"a language": {[]part{field("language", "asr-en-US")}, func(t *testing.T, o map[string]any) {
			assert.Equal(t, "en", o["language"])
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := s.postForm(t, append(c.fields, file(name), field("waitMs", "10000")))
			require.Equal(t, http.StatusOK, a.StatusCode, a.body)
			c.check(t, a.object(t))
		})
	}
}

func TestJobIsHandedOut(t *testing.T) {
	t.Parallel()
	var waits []time.Duration // which are over at once
	s := start(t, func(c *server.Config) {
		server.SettingsOf(c).Timeout = func(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
			waits = append(waits, d)
			return context.WithTimeout(ctx, 0)
		}
	})
	defer s.Engine.Hold()()
	a := s.postForm(t, []part{field("waitMs", "0"), file("a")})
	require.Equal(t, http.StatusAccepted, a.StatusCode)
	o := a.object(t)
	assert.Equal(t, fmt.Sprint("/v1/transcript/job/", o["jobId"]), a.Header.Get("Location"))
	assert.Equal(t, "2", a.Header.Get("Retry-After"))
	assert.Contains(t, []any{"pending", "processing"}, o["status"])
	assert.Empty(t, waits)
	for _, wishes := range [][]part{{field("waitMs", "1")}, {field("waitMs", "10000")}, {}} {
		again := s.postForm(t, append(wishes, file("a")))
		require.Equal(t, http.StatusAccepted, again.StatusCode)
		assert.Equal(t, o["jobId"], again.object(t)["jobId"], "equal uploads share a job")
	}
	assert.Equal(t, []time.Duration{time.Millisecond, 10 * time.Second, 2 * time.Second}, waits)
}

func TestLanguageNobodyKnows(t *testing.T) {
	t.Parallel()
	s := start(t)
	a := s.postForm(t, []part{field("language", "asr-de,fr-CA"), file("a")})
	require.Equal(t, http.StatusServiceUnavailable, a.StatusCode)
	e := a.failure(t)
	assert.Equal(t, "NOT_IMPLEMENTED", e["code"])
	assert.Equal(t, map[string]any{"languages": []any{"de", "fr-CA"}, "engine": "scripted", "known": []any{"en"}}, e["details"])
	assert.Empty(t, files(t, s.blobs))
}
