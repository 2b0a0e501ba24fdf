package transcribe

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	key   = "tr_9fK2mQ7a_secret"
	jobID = "019321a0-7c11-7c3e-9a55-2f6d1f0c9b11"
)

type object = map[string]any

// service is a transcript service with one job. What happens to it is told by
// its members.
type service struct {
	submit  func(w http.ResponseWriter, r *http.Request) // nil: 202
	watched func()                                       // called in the middle of the event stream
	status  string                                       // of the job in the end
	failure object                                       // of a failed job; nil: UPLOAD_INVALID
	noSSE   bool

	mu     sync.Mutex
	body   string // of the submission
	calls  []string
	header http.Header
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.calls = append(s.calls, r.Method+" "+r.URL.Path)
	if r.URL.Path == "/v1/transcript" {
		s.body, s.header = string(body), r.Header
	}
	s.mu.Unlock()
	path := "/v1/transcript/job/" + jobID
	switch {
	case r.URL.Path == "/v1/transcript" && s.submit != nil:
		s.submit(w, r)
	case r.URL.Path == "/v1/transcript":
		answer(w, http.StatusAccepted, job("pending", "queued", 1))
	case r.URL.Path == path+"/events":
		s.events(w, r)
	case r.URL.Path == path+"/cancel":
		answer(w, http.StatusAccepted, job("cancelled", "asr_running", 4))
	case r.URL.Path == path:
		answer(w, http.StatusOK, s.ended())
	default:
		http.NotFound(w, r)
	}
}

func (s *service) ended() object {
	switch s.status {
	case "failed":
		body := job("failed", "asr_running", 4)
		body["error"] = object{"code": "UPLOAD_INVALID", "message": "There is no sound in it."}
		if s.failure != nil {
			body["error"] = s.failure
		}
		return body
	case "processing":
		return job("processing", "asr_running", 3)
	}
	body := result()
	for k, v := range job("success", "done", 4) {
		body[k] = v
	}
	return body
}

func (s *service) events(w http.ResponseWriter, r *http.Request) {
	if s.noSSE {
		answer(w, http.StatusNotFound, object{"error": "not_found"})
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	event := func(id int, name string, data object) {
		b, err := json.Marshal(data)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(w, "event: %s\ndata: %s\n", name, b)
		if id > 0 {
			fmt.Fprintf(w, "id: %d\n", id)
		}
		fmt.Fprint(w, "\n")
		w.(http.Flusher).Flush()
	}
	event(0, "job.snapshot", job("pending", "queued", 1))
	event(3, "job.progress", job("processing", "asr_running", 3))
	for _, fraction := range []float64{0.1, 0.5, 0.55, 1} {
		running := job("processing", "asr_running", 3)
		running["progress"] = object{"fraction": fraction, "processedSec": 1, "totalSec": 2}
		event(0, "job.progress", running)
	}
	if s.watched != nil {
		s.watched()
		<-r.Context().Done()
		return
	}
	if s.status == "failed" {
		event(4, "job.failed", s.ended())
		return
	}
	event(4, "job.completed", s.ended())
}

func job(status, stage string, sequence int) object {
	return object{"jobId": jobID, "status": status, "stage": stage, "sequence": sequence, "attempt": 1,
		"createdAt": "2026-11-21T02:03:34.123Z", "updatedAt": "2026-11-21T02:04:10.001Z"}
}

func result() object {
	return object{
		"status": "success", "format": "json", "cached": false, "language": "en", "metadataStatus": "partial",
		"lengthSeconds": 2, "lengthText": "0:02", "metadata": nil,
		"transcript": object{
			"id": "019321a0-7c11-7c3e-9a55-2f6d1f0c9b12", "platform": "upload", "externalId": "abc",
			"lang": "en", "source": "asr", "status": "ready",
			"segments":  []object{{"text": "hello there", "start": 0.5, "duration": 1.25}, {"text": "again", "start": 61, "duration": 1}},
			"createdAt": "2026-11-21T02:03:34.123Z", "updatedAt": "2026-11-21T02:04:10.001Z",
		},
	}
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		panic(err)
	}
}

type outcome struct {
	code           int
	stdout, stderr string
}

// run is the program with nothing on its standard input.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	return process{name: "transcribe", getenv: getenv, stdin: strings.NewReader(""), stdout: stdout, stderr: stderr, pace: quickPace}.main(ctx, args)
}

// call runs the program against the service.
func call(ctx context.Context, t *testing.T, s *service, args ...string) outcome {
	t.Helper()
	return callHandler(ctx, t, s, args...)
}

func callHandler(ctx context.Context, t *testing.T, s http.Handler, args ...string) outcome {
	t.Helper()
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	env := func(name string) string { return map[string]string{"TRANSCRIBE_KEY": key}[name] }
	var stdout, stderr bytes.Buffer
	code := run(ctx, append([]string{"--server", srv.URL}, args...), env, &stdout, &stderr)
	return outcome{code, stdout.String(), stderr.String()}
}

func recording(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "talk.mp3")
	require.NoError(t, os.WriteFile(path, []byte("the media"), 0o600))
	return path
}

const spoken = "[00:00:00] hello there\n[00:01:01] again\n"

func TestFile(t *testing.T) {
	t.Parallel()
	s := &service{}
	got := call(t.Context(), t, s, "--language", "asr-en,de", recording(t))
	assert.Equal(t, outcome{exitOK, spoken,
		"sending\nsending 100%\njob " + jobID + "\nwaiting for its turn\nrecognizing\nrecognizing 40%\nrecognizing 100%\ndone\n"}, got)
	assert.Contains(t, s.body, "the media")
	assert.Contains(t, s.body, `filename="talk.mp3"`)
	assert.Contains(t, s.body, "asr-en,de")
	assert.Equal(t, "Bearer "+key, s.header.Get("Authorization"))
}

func TestLink(t *testing.T) {
	t.Parallel()
	s := &service{submit: func(w http.ResponseWriter, _ *http.Request) {
		body := result()
		body["cached"] = true
		answer(w, http.StatusOK, body)
	}}
	got := call(t.Context(), t, s, "https://video.example/watch?v=1")
	assert.Equal(t, outcome{exitOK, spoken, "The service knew this text already.\n"}, got)
	assert.JSONEq(t, `{"url":"https://video.example/watch?v=1","waitMs":0}`, s.body)

	s = &service{} // which makes a job of it
	got = call(t.Context(), t, s, "--language", "de,asr-en", "--", "-Qw4w9WgXcQ")
	assert.Equal(t, outcome{exitOK, spoken, "job " + jobID + "\nwaiting for its turn\nrecognizing\nrecognizing 40%\nrecognizing 100%\ndone\n"}, got)
	assert.JSONEq(t, `{"url":"-Qw4w9WgXcQ","language":"de,asr-en","waitMs":0}`, s.body)
}

// A file that is there is the file, also when a video could have its name.
func TestFileNamedLikeAnID(t *testing.T) {
	t.Chdir(t.TempDir()) // hence not parallel
	require.NoError(t, os.WriteFile("dQw4w9WgXcQ", []byte("the media"), 0o600))
	require.NoError(t, os.Mkdir("directoryID", 0o700))
	assert.Equal(t, isFile, kindOf("dQw4w9WgXcQ"))
	assert.Equal(t, isFolder, kindOf("directoryID"), "a folder is no video")
	s := &service{}
	require.Equal(t, exitOK, call(t.Context(), t, s, "dQw4w9WgXcQ").code)
	assert.Contains(t, s.body, "the media")
}

func TestFormatAndOut(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "talk.json")
	got := call(t.Context(), t, &service{}, "--format", "json", "--output", out, recording(t))
	assert.Equal(t, exitOK, got.code, got.stderr)
	assert.Empty(t, got.stdout)
	written, err := os.ReadFile(out)
	require.NoError(t, err)
	var transcript struct{ Segments []struct{ Text string } }
	require.NoError(t, json.Unmarshal(written, &transcript))
	assert.Equal(t, "again", transcript.Segments[1].Text)

	got = call(t.Context(), t, &service{}, "--output", filepath.Join(t.TempDir(), "no", "such"), recording(t))
	assert.Equal(t, exitUsage, got.code, "before work begins")
}

func TestWithoutEvents(t *testing.T) {
	t.Parallel()
	got := call(t.Context(), t, &service{noSSE: true}, recording(t))
	assert.Equal(t, outcome{exitOK, spoken, "sending\nsending 100%\njob " + jobID + "\nwaiting for its turn\n"}, got)
}

func TestFailures(t *testing.T) {
	t.Parallel()
	refusal := func(status int, body object) *service {
		return &service{submit: func(w http.ResponseWriter, _ *http.Request) { answer(w, status, body) }}
	}
	for name, tc := range map[string]struct {
		service *service
		args    []string
		code    int
		says    string
	}{
		"job fails": {&service{status: "failed"}, nil, exitFailure, "UPLOAD_INVALID: There is no sound in it."},
		"no key":    {refusal(401, object{"error": "unauthorized"}), nil, exitFailure, "--key-file or TRANSCRIBE_KEY"},
		"wrong key": {refusal(401, object{"error": "invalid_credential"}), nil, exitFailure, "expired or is revoked"},
		"plan":      {refusal(402, object{"error": object{"code": "UPGRADE_REQUIRED", "message": "m", "actionLabel": "Upgrade", "actionUrl": "https://e/plans"}}), nil, exitFailure, "402 UPGRADE_REQUIRED: m Upgrade: https://e/plans\n"},
		"too much waits": {refusal(409, object{"error": object{"code": "ASR_CONCURRENCY_LIMIT", "message": "Three are waiting.", "retryAfter": 40}}), nil, exitFailure,
			"409 ASR_CONCURRENCY_LIMIT: Three are waiting. Try again in 40s.\n"},
		"too many requests": {&service{submit: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "40") // more than the client waits for
			answer(w, http.StatusTooManyRequests, object{"error": "rate_limited"})
		}}, nil, exitFailure, "429 RATE_LIMITED: Try again in 40s.\n"},
		"job over the plan": {&service{status: "failed", failure: object{"code": "VIDEO_TOO_LONG", "message": "It is too long.", "actionLabel": "Upgrade", "actionUrl": "https://e/plans"}},
			nil, exitFailure, "VIDEO_TOO_LONG: It is too long. Upgrade: https://e/plans\n"},
		"steers the terminal": {refusal(400, object{"error": object{"code": "VALIDATION_ERROR", "message": "No\x1b[2J\u009b2J\u202e\nsuch."}, "requestId": "r\x1b]0;x\a"}), nil, exitFailure,
			"400 VALIDATION_ERROR: No [2J 2J such. (request r ]0;x)\n"},
		"unknown site":  {refusal(422, object{"error": object{"code": "UNSUPPORTED_PLATFORM", "message": "Which site?"}}), []string{"https://nowhere.example/1"}, exitFailure, "422 UNSUPPORTED_PLATFORM: Which site?"},
		"link fails":    {&service{status: "failed"}, []string{"dQw4w9WgXcQ"}, exitFailure, "UPLOAD_INVALID: There is no sound in it."},
		"missing file":  {&service{}, []string{"/no/such/file.mp3"}, exitUsage, "no such file"},
		"mistyped id":   {&service{}, []string{"dQw4w9WgXc"}, exitUsage, "dQw4w9WgXc: there is no such file, and it is no link"},
		"unknown flag":  {&service{}, []string{"--nonsense"}, exitUsage, "--nonsense"},
		"bad format":    {&service{}, []string{"--format", "doc"}, exitUsage, "--format"},
		"two arguments": {&service{}, []string{"a", "b"}, exitUsage, "b"},
		"bad server":    {&service{}, []string{"--server", "nowhere", "a"}, exitUsage, "scheme"},
		"no key file":   {&service{}, []string{"--key-file", "/no/such/key", "a"}, exitUsage, "no such file"},
		"empty key":     {&service{}, []string{"--key-file", os.DevNull, "a"}, exitUsage, "no key"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tc.args == nil {
				tc.args = []string{recording(t)}
			}
			got := call(t.Context(), t, tc.service, tc.args...)
			assert.Equal(t, tc.code, got.code)
			assert.Empty(t, got.stdout)
			assert.Contains(t, got.stderr, tc.says)
			assert.NotContains(t, got.stderr, key)
			assert.NotContains(t, got.stderr, "\x1b")
		})
	}
}

func TestKeyFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(path, []byte("tr_other\n"), 0o600))
	s := &service{}
	require.Equal(t, exitOK, call(t.Context(), t, s, "--key-file", path, recording(t)).code)
	assert.Equal(t, "Bearer tr_other", s.header.Get("Authorization"))
}

// TestInterrupted: the job of a caller who has gone is cancelled.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	s := &service{status: "processing", watched: interrupt}
	got := call(ctx, t, s, recording(t))
	assert.Equal(t, exitInterrupted, got.code)
	assert.Empty(t, got.stdout)
	assert.Contains(t, got.stderr, "talk.mp3: interrupted; the job "+jobID+" was cancelled\n")
	assert.Equal(t, "POST /v1/transcript/job/"+jobID+"/cancel", s.calls[len(s.calls)-1])
	assert.NotContains(t, strings.Join(s.calls, "\n"), "GET /v1/transcript/job/"+jobID+"\n")
}

// falling is a standard input on which something comes, and then nothing more.
type falling struct {
	text   io.Reader
	silent func()
	ends   <-chan struct{}
}

func (f *falling) Read(b []byte) (int, error) {
	if n, err := f.text.Read(b); err == nil {
		return n, nil
	}
	f.silent()
	<-f.ends
	return 0, io.EOF
}

// Whoever interrupts need not wait for standard input.
func TestInterruptedBeforeTheInputEnds(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{"a recording": {"-"}, "a list": {"--from", "-"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, interrupt := context.WithCancel(t.Context())
			srv := httptest.NewServer(&service{})
			t.Cleanup(srv.Close)
			var stderr strings.Builder
			in := &falling{strings.NewReader("https://talks.example/1\n"), interrupt, t.Context().Done()}
			code := process{name: "transcribe", getenv: func(string) string { return "" }, stdin: in, stdout: io.Discard, stderr: &stderr, pace: quickPace}.main(ctx, append(args, "--server", srv.URL))
			assert.Equal(t, exitInterrupted, code)
			assert.Contains(t, stderr.String(), "interrupted")
			assert.NotContains(t, stderr.String(), "goes on")
		})
	}
}

// TestService: the program and the real service understand each other.
func TestService(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	s.Engine.Say("four score and seven years ago")
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"--server", s.URL, recording(t)}, func(string) string { return s.Key }, &stdout, &stderr)
	assert.Equal(t, exitOK, code, stderr.String())
	assert.Equal(t, "[00:00:00] four score and seven years ago\n", stdout.String())
	assert.Regexp(t, `(?m)^recognizing( \d+%)?$`, stderr.String(), "on a busy machine there is progress before the program looks")
}

// A recognizer that does not know the first language takes the next one.
func TestServiceThatKnowsTheSecondLanguage(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	s.Engine.Say("four score")
	ask := func(languages string) (code int, stdout, stderr string) {
		var out, log bytes.Buffer
		code = run(t.Context(), []string{"--server", s.URL, "--language", languages, recording(t)}, func(string) string { return s.Key }, &out, &log)
		return code, out.String(), log.String()
	}
	code, stdout, stderr := ask("de,en")
	assert.Equal(t, exitOK, code, stderr)
	assert.Equal(t, "[00:00:00] four score\n", stdout)
	code, _, stderr = ask("de,fr")
	assert.Equal(t, exitFailure, code)
	assert.Contains(t, stderr, "NOT_IMPLEMENTED: The recognizer scripted does not know de, fr: it knows en.")
	assert.Contains(t, stderr, "\nLanguages for --language that the recognizer knows: English (en).\n")
}

// What a plan does not permit is told with where there is more, at once or when a job
// finds it out.
func TestServiceUnderAPlan(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		plan func(*account.Plan)
		says string
	}{
		"no transcripts left": {func(p *account.Plan) { p.TranscriptsPerPeriod = 0 }, `: 402 TRANSCRIPT_QUOTA_EXCEEDED: .*\. Upgrade: https://example\.com/plans \(request .*\)\n$`},
		"no minutes left":     {func(p *account.Plan) { p.ASRMinutesPerPeriod = 0 }, `ASR_QUOTA_EXCEEDED: .*\. Upgrade: https://example\.com/plans.*\n$`},
		"too long":            {func(p *account.Plan) { p.MaxDuration = 5 * time.Second }, `\ntranscribe: .*talk\.mp3: job .*: failed in stage duration_check: VIDEO_TOO_LONG: .* 0:05 .*\. Upgrade: https://example\.com/plans\n$`},
		"too many requests":   {func(p *account.Plan) { p.RateLimit = account.RateLimit{Window: 24 * time.Hour} }, `: 429 RATE_LIMITED: Try again in .*\.`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := account.WithoutLimits("small")
			plan.ActionLabel, plan.ActionURL = "Upgrade", "https://example.com/plans"
			row.plan(&plan)
			s := servertest.New(t, servertest.OnPlan(plan))
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), []string{"--server", s.URL, recording(t)}, func(string) string { return s.Key }, &stdout, &stderr)
			assert.Equal(t, exitFailure, code)
			assert.Empty(t, stdout.String())
			assert.Regexp(t, row.says, stderr.String())
		})
	}
}

func TestServiceReadsALink(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "four score"}, servertest.Track{Lang: "de", Text: "siebenundachtzig Jahre"})
	ask := func(args ...string) outcome {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), append([]string{"--server", s.URL}, args...), func(string) string { return s.Key }, &stdout, &stderr)
		return outcome{code, stdout.String(), stderr.String()}
	}
	got := ask("--language", "de", "https://youtu.be/dQw4w9WgXcQ")
	assert.Equal(t, exitOK, got.code, got.stderr)
	assert.Equal(t, "[00:00:00] siebenundachtzig Jahre\n", got.stdout)
	got = ask("--language", "de", "dQw4w9WgXcQ")
	assert.Equal(t, outcome{exitOK, "[00:00:00] siebenundachtzig Jahre\n", "The service knew this text already.\n"}, got)

	s.Engine.FailCaptions(transcript.Errorf(transcript.Unavailable, "The video is private."))
	got = ask("https://youtu.be/aQw4w9WgXcQ")
	assert.Equal(t, exitFailure, got.code)
	assert.Empty(t, got.stdout)
	assert.Contains(t, got.stderr, "UNAVAILABLE: The video is private.")
	got = ask("https://nowhere.example/1")
	assert.Equal(t, exitFailure, got.code)
	assert.Contains(t, got.stderr, "422 UNSUPPORTED_PLATFORM: ")
}

// Who has started no service, or another one, is told how to.
func TestNoServiceThere(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(nil)
	gone.Close()
	got := call(t.Context(), t, &service{}, "--server", gone.URL, recording(t))
	assert.Equal(t, exitFailure, got.code)
	assert.Empty(t, got.stdout)
	assert.Contains(t, got.stderr, "nothing listens on 127.0.0.1:")
	assert.Contains(t, got.stderr, `No service answers there: start one with "transcriptd serve", or name another with --server or TRANSCRIBE_SERVER.`)
}
