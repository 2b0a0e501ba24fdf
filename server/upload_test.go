package server_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// nothingLeft asserts that no upload and no scratch file is left, soon after the
// answer: a job that has ended is told before its files are swept up.
func (s *service) nothingLeft(t *testing.T) {
	t.Helper()
	assert.Eventually(t, func() bool { return len(files(t, s.blobs))+len(files(t, s.scratch)) == 0 },
		time.Minute, 10*time.Millisecond, "files were left behind")
}

func TestForms(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, c := range map[string]struct {
		parts  []part
		status int
		code   string
		paths  []string
	}{
		"no part":                 {nil, 422, "UPLOAD_INVALID", nil},
		"no file":                 {[]part{field("waitMs", "1")}, 422, "UPLOAD_INVALID", nil},
		"two files":               {[]part{file("a"), file("b")}, 422, "UPLOAD_INVALID", nil},
		"an empty file":           {[]part{file("")}, 422, "UPLOAD_INVALID", nil},
		"an unknown field before": {[]part{field("lang", "en"), file("a")}, 400, "INVALID_REQUEST", []string{"lang"}},
		"an unknown field after":  {[]part{file("a"), field("lang", "en")}, 400, "INVALID_REQUEST", []string{"lang"}},
		"the file by another name": {
			[]part{{name: "media", filename: "a.wav", declared: "audio/wav", content: "a"}}, 400, "INVALID_REQUEST", []string{"media"}},
		"a field of the JSON body": {[]part{field("url", "https://video.example/1"), file("a")}, 400, "INVALID_REQUEST", []string{"url"}},
		"a field twice":            {[]part{field("waitMs", "1"), file("a"), field("waitMs", "1")}, 400, "INVALID_REQUEST", []string{"waitMs"}},

		"a field that is not UTF-8": {[]part{field("language", "en\xff"), file("a")}, 400, "INVALID_REQUEST", []string{"language"}},
		"several faults": {
			[]part{file("a"), field("waitMs", "-1"), field("language", ""), field("format", "x"), field("sendMetadata", "x"), field("includeTimestamp", "x")},
			422, "INVALID_REQUEST", []string{"waitMs", "language", "format", "sendMetadata", "includeTimestamp"}},
		"several before the file, after which none is looked for": {
			[]part{field("waitMs", "-1"), field("format", "x"), {name: "file", filename: "a.txt", declared: "text/plain", content: "a"}, field("sendMetadata", "x")},
			422, "INVALID_REQUEST", []string{"waitMs", "format"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := s.postForm(t, c.parts)
			require.Equal(t, c.status, a.StatusCode, a.body)
			assert.Equal(t, c.code, a.failure(t)["code"])
			if c.paths != nil {
				assert.ElementsMatch(t, c.paths, a.issuePaths(t))
			}
		})
	}
	t.Cleanup(func() {
		s.nothingLeft(t)
		assert.Zero(t, s.Engine.Recognitions())
	})
}

func TestEdgesAreTaken(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, parts := range map[string][]part{
		"fields after the file": {file("a"), field("format", "text"), field("waitMs", "10000")},
		"all fields": {
			field("language", "asr"), field("format", "json"), field("includeTimestamp", "true"),
			field("sendMetadata", "false"), field("waitMs", "9999"), file("d")},
		"no name":             {{name: "file", content: "e"}, field("waitMs", "10000")},
		"curl -F file=@a.wav": {{name: "file", filename: "a.wav", declared: "application/octet-stream", content: "f"}, field("waitMs", "10000")},
		"curl -F file=@a.ogg": {{name: "file", filename: "a.ogg", declared: "application/ogg", content: "h"}, field("waitMs", "10000")},
		"a codec":             {{name: "file", filename: "a.webm", declared: `Audio/WebM; codecs="opus"`, content: "i"}, field("waitMs", "10000")},
		"a text, as it says":  {{name: "file", filename: "a.txt", declared: "text/plain", content: "k"}, field("waitMs", "10000")},
		"half a type":         {{name: "file", filename: "a", declared: "audio", content: "l"}, field("waitMs", "10000")},
		"a broken type":       {{name: "file", filename: "a", declared: ";", content: "m"}, field("waitMs", "10000")},
		"a long name":         {{name: "file", filename: strings.Repeat("語", 300) + ".wav", content: "j"}, field("waitMs", "10000")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := s.postForm(t, parts)
			assert.Equal(t, http.StatusOK, a.StatusCode, a.body)
		})
	}
	t.Cleanup(func() { s.nothingLeft(t) })
}

func TestCreateFormFile(t *testing.T) {
	t.Parallel()
	s := start(t)
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	p, err := w.CreateFormFile("file", `a "quoted" name.mp3`)
	require.NoError(t, err)
	_, err = io.WriteString(p, "the media")
	require.NoError(t, err)
	require.NoError(t, w.WriteField("sendMetadata", "true"))
	require.NoError(t, w.WriteField("waitMs", "10000"))
	require.NoError(t, w.Close())
	a := s.do(t, http.MethodPost, "/v1/transcript", &b, header("Content-Type", w.FormDataContentType()))
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	assert.Equal(t, `a "quoted" name`, a.object(t)["transcript"].(map[string]any)["title"])

	// Browsers escape the quotation marks in another way.
	a = s.postForm(t, []part{{name: "file", filename: "100%22 of %22sound%22.mp3", content: "more media"}, field("sendMetadata", "true"), field("waitMs", "10000")})
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	assert.Equal(t, `100" of "sound"`, a.object(t)["transcript"].(map[string]any)["title"])
}

func TestContentDigest(t *testing.T) {
	t.Parallel()
	s := start(t)
	sum := func(content string) string {
		d := sha256.Sum256([]byte(content))
		return base64.StdEncoding.EncodeToString(d[:])
	}
	for name, c := range map[string]struct {
		digest string
		status int
	}{
		"right":             {"sha-256=:" + sum("right") + ":", 200},
		"among others":      {"sha-512=:AAAA:, sha-256=:" + sum("among others") + ":", 200},
		"unknown algorithm": {"md5=:AAAA:", 200},
		"wrong":             {"sha-256=:" + sum("x") + ":", 422},
		"no colons":         {"sha-256=" + sum("no colons"), 422},
		"too short":         {"sha-256=:AAAA:", 422},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := file(name)
			p.digest = c.digest
			a := s.postForm(t, []part{p, field("waitMs", "10000")})
			require.Equal(t, c.status, a.StatusCode, a.body)
			if c.status != http.StatusOK {
				assert.Equal(t, "UPLOAD_INVALID", a.failure(t)["code"])
			}
		})
	}
	t.Cleanup(func() { s.nothingLeft(t) })
}

func TestBrokenForms(t *testing.T) {
	t.Parallel()
	s := start(t)
	body, contentType := form(t, file(strings.Repeat("media ", 100)))
	closing := bytes.LastIndex(body, []byte("\r\n--"))
	for name, cut := range map[string][]byte{
		"before the closing boundary": body[:closing],
		"within it":                   body[:closing+10],
		"in the file":                 body[:closing/2],
		"in the part's header":        body[:80],
		"empty":                       nil,
		"no form":                     []byte("the media"),
	} {
		a := s.do(t, http.MethodPost, "/v1/transcript", bytes.NewReader(cut), header("Content-Type", contentType))
		require.Equal(t, http.StatusBadRequest, a.StatusCode, "%s: %s", name, a.body)
		assert.Equal(t, []string{"body"}, a.issuePaths(t), name)
		s.nothingLeft(t)
	}
}

// A client that goes away in the middle of its upload leaves nothing.
func TestLostUpload(t *testing.T) {
	t.Parallel()
	s := start(t)
	body, contentType := form(t, file(strings.Repeat("media ", 100_000)))
	half, sending := io.Pipe()
	go func() {
		_, err := sending.Write(body[:len(body)/2])
		_ = sending.CloseWithError(errors.Join(errors.New("the client crashed"), err)) // never fails
	}()
	_, err := s.send(t, http.MethodPost, "/v1/transcript", half, header("Content-Type", contentType))
	require.ErrorContains(t, err, "the client crashed")
	require.Eventually(t, func() bool {
		return strings.Contains(s.log.String(), "route=/v1/transcript ")
	}, time.Minute, 5*time.Millisecond)
	s.nothingLeft(t)
}

func limited(bytes int64) func(*server.Config) {
	return func(c *server.Config) {
		small := account.WithoutLimits("small")
		small.MaxUploadBytes = bytes
		plans := map[string]account.Plan{"small": small}
		for name, change := range map[string]func(*account.Plan){
			"no uploads":      func(p *account.Plan) { p.Upload = false },
			"no recognition":  func(p *account.Plan) { p.ASR = false },
			"no recognitions": func(p *account.Plan) { p.ASRConcurrency = 0 },
		} {
			p := account.WithoutLimits(name)
			p.ActionLabel, p.ActionURL = "Upgrade", "https://example.com/plans"
			change(&p)
			plans[name] = p
		}
		offer(c, account.Plans{Default: "small", ByName: plans})
	}
}

func TestLargestUpload(t *testing.T) {
	t.Parallel()
	s := start(t, limited(1000))
	a := s.upload(t, strings.Repeat("a", 1000))
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	a = s.upload(t, strings.Repeat("a", 1001))
	require.Equal(t, http.StatusUnprocessableEntity, a.StatusCode, a.body)
	e := a.failure(t)
	assert.Equal(t, "MEDIA_TOO_LARGE", e["code"])
	assert.Equal(t, map[string]any{"limitBytes": 1000.0}, e["details"])
	s.nothingLeft(t)
}

// Whoever sends far too much learns why, although nobody reads all of it.
func TestRefusalOfAHugeUploadArrives(t *testing.T) {
	t.Parallel()
	s := start(t, limited(1000))
	for range 5 {
		head, contentType := form(t, file(""))
		at := bytes.LastIndex(head, []byte("\r\n--"))
		body := io.MultiReader(bytes.NewReader(head[:at]), io.LimitReader(zeros{}, 64<<20), bytes.NewReader(head[at:]))
		a := s.do(t, http.MethodPost, "/v1/transcript", body, header("Content-Type", contentType))
		require.Equal(t, http.StatusUnprocessableEntity, a.StatusCode, a.body)
		assert.Equal(t, "MEDIA_TOO_LARGE", a.failure(t)["code"])
	}
	s.nothingLeft(t)
}

// What is announced as too large need not be sent.
func TestRefusalOfAnAnnouncedSize(t *testing.T) {
	t.Parallel()
	s := start(t, limited(1000))
	for media, want := range map[string]struct {
		length, status int
		code           string
	}{
		"multipart/form-data; boundary=b": {1000 + 256<<10 + 1, http.StatusUnprocessableEntity, "MEDIA_TOO_LARGE"}, // of which the fields may have 256 KiB
		"application/json":                {1<<20 + 1, http.StatusBadRequest, "INVALID_REQUEST"},
	} {
		a := s.announce(t, media, want.length)
		assert.Equal(t, want.status, a.StatusCode, media)
		e := a.failure(t)
		assert.Equal(t, want.code, e["code"])
		if want.code == "MEDIA_TOO_LARGE" {
			assert.Equal(t, map[string]any{"limitBytes": 1000.0}, e["details"])
		}
	}
	s.nothingLeft(t)
}

// announce sends the head of a request for a transcript, without its body, and returns
// the answer that comes all the same. A service that waits for the body answers with a 408.
func (s *service) announce(t *testing.T, contentType string, length int) *answer {
	t.Helper()
	_, host, _ := strings.Cut(s.URL, "://")
	conn, err := net.Dial("tcp", host)
	require.NoError(t, err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "POST /v1/transcript HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n",
		host, s.Key, contentType, length)
	require.NoError(t, err)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return &answer{resp, string(body)}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// An upload needs uploads and recognition; without, its body is not read.
func TestPlanWithoutUploads(t *testing.T) {
	t.Parallel()
	for _, plan := range []string{"no uploads", "no recognition", "no recognitions"} {
		t.Run(plan, func(t *testing.T) {
			t.Parallel()
			s := start(t, limited(1000))
			_, err := s.Accounts.Set(t.Context(), servertest.Account, account.Settings{Plan: plan})
			require.NoError(t, err)
			a := s.announce(t, "multipart/form-data; boundary=b", 900)
			require.Equal(t, http.StatusPaymentRequired, a.StatusCode, a.body)
			e := a.failure(t)
			assert.Equal(t, "UPGRADE_REQUIRED", e["code"])
			assert.Equal(t, "Upgrade", e["actionLabel"])
			assert.Equal(t, "https://example.com/plans", e["actionUrl"])
			assert.Equal(t, "https://example.com/plans", e["upgrade_url"])
		})
	}
}

// What the engine finds wrong with a file is the answer to its upload while its
// sender waits, and the end of the job when nobody does.
func TestFilesThatAreNoSpeech(t *testing.T) {
	t.Parallel()
	notMedia := transcript.Errorf(transcript.UploadInvalid, "The file is not media.")
	for name, c := range map[string]struct {
		script  func(*servertest.Engine)
		status  int
		code    string
		details any
	}{
		"not media": {func(e *servertest.Engine) { e.FailMedia(notMedia) }, 422, "UPLOAD_INVALID", nil},
		"no audio":  {func(e *servertest.Engine) { e.SetMedia(servertest.Media{NoAudio: true}) }, 422, "UPLOAD_INVALID", nil},
		"too long whatever its claim": {func(e *servertest.Engine) {
			e.SetMedia(servertest.Media{Claimed: time.Second, Duration: time.Hour})
		}, 422, "MEDIA_TOO_LARGE", map[string]any{"limitSec": 30.0}},
		"no program": {func(e *servertest.Engine) {
			e.FailMedia(transcript.Errorf(transcript.ConfigError, "There is no ffmpeg."))
		}, 503, "CONFIG_ERROR", nil},
		"a recognizer that cannot": {func(e *servertest.Engine) {
			e.Fail(transcript.Errorf(transcript.NotImplemented, "Not this."))
		}, 503, "NOT_IMPLEMENTED", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, func(c *server.Config) { c.Limits.MaxMediaDuration = 30 * time.Second })
			c.script(s.Engine)
			a := s.postForm(t, []part{file("a"), field("waitMs", "10000")})
			require.Equal(t, c.status, a.StatusCode, a.body)
			e := a.failure(t)
			assert.Equal(t, c.code, e["code"])
			if c.details != nil {
				assert.Equal(t, c.details, e["details"])
			}
			job := s.ended(t, s.job(t, "b"))
			assert.Equal(t, "failed", job["status"])
			assert.Equal(t, c.code, job["error"].(map[string]any)["code"])
			s.nothingLeft(t)
		})
	}
}

// The largest number there is bounds nothing.
func TestUploadsWithoutABound(t *testing.T) {
	t.Parallel()
	s := start(t, limited(account.Unlimited))
	a := s.upload(t, "a")
	assert.Equal(t, http.StatusOK, a.StatusCode, a.body)
}

// A control character in the name of a file, which a header cannot carry, is named.
func TestUploadOfANameWithControlCharacters(t *testing.T) {
	t.Parallel()
	s := start(t)
	a := s.postForm(t, []part{{name: "file", filename: "a\x1bb.wav", declared: "audio/wav", content: "media"}})
	require.Equal(t, http.StatusBadRequest, a.StatusCode, a.body)
	assert.Equal(t, "INVALID_REQUEST", a.failure(t)["code"])
	assert.Contains(t, a.failure(t)["message"], "a control character in the name of a file is written as %1B")
}
