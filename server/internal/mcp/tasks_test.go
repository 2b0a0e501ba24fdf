package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	tasksExtension = "io.modelcontextprotocol/tasks"
	newest         = "2026-07-28"
)

// asker sends raw messages to a service.
type asker struct {
	t        *testing.T
	s        *servertest.Server
	key      string
	version  string // in each request; an older version stands in a header only
	declares bool   // the extension
}

func ask(t *testing.T, s *servertest.Server) asker {
	t.Helper()
	return asker{t, s, s.Key, newest, true}
}

// got is an answer.
type got struct {
	status int
	ID     json.RawMessage
	Result map[string]any
	Error  struct {
		Code    int
		Message string
		Data    map[string]any
	}
}

// send sends a request with headers, which replace the usual ones; an empty value removes one.
func (a asker) send(method, name, params string, headers ...string) got {
	a.t.Helper()
	if a.version == newest {
		capabilities := "{}"
		if a.declares {
			capabilities = `{"extensions":{"` + tasksExtension + `":{}}}`
		}
		params = fmt.Sprintf(`%s,"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":%s}`, params, a.version, capabilities)
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":{%s}}`, method, strings.TrimPrefix(params, ","))
	r, err := http.NewRequestWithContext(a.t.Context(), http.MethodPost, a.s.URL+"/mcp", bytes.NewReader([]byte(body)))
	require.NoError(a.t, err)
	all := append([]string{"Authorization", "Bearer " + a.key, "Content-Type", "application/json", "Accept", "application/json, text/event-stream",
		"MCP-Protocol-Version", a.version, "Mcp-Method", method, "Mcp-Name", name}, headers...)
	for i := 0; i < len(all); i += 2 {
		if r.Header.Set(all[i], all[i+1]); all[i+1] == "" {
			r.Header.Del(all[i])
		}
	}
	res, err := http.DefaultClient.Do(r)
	require.NoError(a.t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	require.NoError(a.t, err)
	read := got{status: res.StatusCode}
	if json.Valid(text) {
		_ = json.Unmarshal(text, &read) // an answer of the edge has another form
	}
	return read
}

func (a asker) transcript(link string, more ...string) got {
	a.t.Helper()
	return a.send("tools/call", "get_transcript", fmt.Sprintf(`"name":"get_transcript","arguments":{"url":%q%s}`, link, strings.Join(more, "")))
}

func (a asker) task(method, id string, headers ...string) got {
	a.t.Helper()
	return a.send(method, id, fmt.Sprintf(`"taskId":%q`, id), headers...)
}

// made asks for a text and returns the id of the task.
func (a asker) made(link string, more ...string) string {
	a.t.Helper()
	res := a.transcript(link, more...)
	require.Equal(a.t, "task", res.Result["resultType"], "%+v", res)
	id, ok := res.Result["taskId"].(string)
	require.True(a.t, ok)
	return id
}

// end waits for the end of a task.
func (a asker) end(id string) map[string]any {
	a.t.Helper()
	var last got
	require.Eventually(a.t, func() bool {
		last = a.task("tasks/get", id)
		return assert.Equal(a.t, http.StatusOK, last.status, "%+v", last) && last.Result["status"] != "working"
	}, time.Minute, 10*time.Millisecond)
	return last.Result
}

// text is the text in the result of a tool.
func text(t *testing.T, result any) string {
	t.Helper()
	blocks, ok := result.(map[string]any)["content"].([]any)
	require.True(t, ok, "%+v", result)
	var all strings.Builder
	for _, b := range blocks {
		all.WriteString(b.(map[string]any)["text"].(string) + "\n")
	}
	return all.String()
}

const video = "https://youtu.be/dQw4w9WgXcQ"

// A text that is not there yet is a task, which ends with what get_transcript answers then.
func TestTask(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: strings.Repeat("a long talk ", 6000)})
	release := s.Engine.HoldCaptions()
	a := ask(t, s)
	made := a.transcript(video).Result
	assert.Equal(t, "task", made["resultType"])
	assert.Equal(t, "working", made["status"])
	assert.Contains(t, made, "ttlMs")
	assert.Nil(t, made["ttlMs"], "the end is not known")
	assert.EqualValues(t, 1000, made["pollIntervalMs"])
	assert.NotContains(t, made, "result")
	created, err := time.Parse(time.RFC3339, made["createdAt"].(string))
	require.NoError(t, err)
	id := made["taskId"].(string)

	working := a.task("tasks/get", id).Result
	assert.Equal(t, "complete", working["resultType"], "of tasks/get itself")
	assert.Equal(t, "working", working["status"])
	assert.Equal(t, id, working["taskId"])
	assert.Equal(t, id, a.made(video), "an equal call while the job runs has the same task")
	release()
	ended := a.end(id)
	assert.Equal(t, "completed", ended["status"])
	updated, err := time.Parse(time.RFC3339, ended["lastUpdatedAt"].(string))
	require.NoError(t, err)
	assert.EqualValues(t, (updated.Sub(created) + 7*24*time.Hour).Milliseconds(), ended["ttlMs"])
	assert.NotContains(t, ended, "pollIntervalMs")

	again := a.transcript(video).Result
	assert.Equal(t, "complete", again["resultType"], "a stored text needs no task")
	assert.Equal(t, text(t, again), text(t, ended["result"]))
	assert.Contains(t, text(t, ended["result"]), `"nextPageToken":"`)
	assert.Contains(t, text(t, ended["result"]), "[00:00:00]")
}

// The result has the form that the call has asked for.
func TestTaskWithoutTimestamps(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "a talk"})
	a := ask(t, s)
	release := s.Engine.HoldCaptions()
	id := a.made(video, `,"includeTimestamp":false`)
	release()
	assert.NotContains(t, text(t, a.end(id)["result"]), "[00:00:00]")
}

// Each task has its own text.
func TestTasksOfTwoTexts(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	mine, theirs := ask(t, s), ask(t, s)
	theirs.key = s.NewKey(t, "other")
	for i, a := range []asker{mine, theirs, mine} {
		words := fmt.Sprintf("talk number %d", i)
		s.Engine.SetTracks(servertest.Track{Lang: "en", Text: words})
		release := s.Engine.HoldCaptions()
		id := a.made(fmt.Sprintf("https://youtu.be/dQw4w9WgXc%d", i))
		release()
		assert.Contains(t, text(t, a.end(id)["result"]), words)
	}
}

// A job that fails completes its task, with an error for the model.
func TestTaskOfAFailure(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	s.Engine.FailCaptions(transcript.Errorf(transcript.Unavailable, "The video has been removed."))
	release := s.Engine.HoldCaptions()
	a := ask(t, s)
	id := a.made(video)
	release()
	ended := a.end(id)
	assert.Equal(t, "completed", ended["status"], "only errors of the protocol fail a task")
	result := ended["result"].(map[string]any)
	assert.Equal(t, true, result["isError"])
	assert.Equal(t, "UNAVAILABLE", result["structuredContent"].(map[string]any)["error"].(map[string]any)["code"])
	assert.Contains(t, text(t, result), "The video has been removed.")
}

func TestCancelTask(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "a talk"})
	a := ask(t, s)
	release := s.Engine.HoldCaptions()
	id := a.made(video)
	for range 2 { // the second finds that the task has ended
		res := a.task("tasks/cancel", id)
		assert.Equal(t, "complete", res.Result["resultType"], "%+v", res)
		assert.NotContains(t, res.Result, "taskId")
	}
	ended := a.end(id)
	assert.Equal(t, "cancelled", ended["status"])
	assert.NotContains(t, ended, "result")
	release()

	release = s.Engine.HoldCaptions()
	id = a.made("https://youtu.be/dQw4w9WgXcA")
	res := a.send("tasks/update", id, fmt.Sprintf(`"taskId":%q,"inputResponses":{"name":{"action":"accept"}}`, id))
	assert.Equal(t, "complete", res.Result["resultType"], "no task asks for input")
	release()
	assert.Equal(t, "completed", a.end(id)["status"])
	assert.Equal(t, "complete", a.task("tasks/cancel", id).Result["resultType"])
	assert.Equal(t, "completed", a.end(id)["status"], "an ended task stays as it is")
}

// Only a request that declares the extension gets a task, or reads a task.
func TestUndeclaredTasks(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "a talk"})
	a := ask(t, s)
	release := s.Engine.HoldCaptions()
	id := a.made(video)
	a.declares = false
	for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
		res := a.task(method, id)
		assert.Equal(t, http.StatusBadRequest, res.status, method)
		assert.Equal(t, -32021, res.Error.Code, method)
		assert.Contains(t, res.Error.Data["requiredCapabilities"].(map[string]any)["extensions"], tasksExtension)
	}
	answers := make(chan got, 2)
	older := a
	older.version = "2025-11-25"
	for _, undeclared := range []asker{a, older} {
		go func() { answers <- undeclared.transcript(video) }()
	}
	release()
	for range 2 {
		res := <-answers
		assert.Contains(t, text(t, res.Result), "a talk")
		assert.NotContains(t, res.Result, "taskId")
	}
}

// Each request about a task is authorized.
func TestTasksOfOthers(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "a talk"})
	mine := ask(t, s)
	defer s.Engine.HoldCaptions()()
	id := mine.made(video)
	theirs, scopeless, keyless := mine, mine, mine
	theirs.key = s.NewKey(t, "other")
	scopeless.key = s.NewKey(t, servertest.Account, account.Batches)
	keyless.key = "tr_wrong"
	for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
		for name, res := range map[string]got{
			"another account's": theirs.task(method, id), "unknown": mine.task(method, "01a20b7d-de5c-7090-8efa-bf813edb6e26"),
			"no id": mine.task(method, "x"), "no params": mine.send(method, "", ""),
		} {
			assert.Equal(t, -32602, res.Error.Code, "%s %s: %+v", method, name, res)
			assert.Equal(t, http.StatusBadRequest, res.status)
			assert.JSONEq(t, "7", string(res.ID))
		}
		assert.Equal(t, http.StatusForbidden, scopeless.task(method, id).status, method)
		assert.Equal(t, http.StatusUnauthorized, keyless.task(method, id).status, method)
	}
	assert.Equal(t, "working", mine.task("tasks/get", id).Result["status"], "nothing of this has cancelled the task")
}

// A message in which two readers find two methods or two tasks is refused: the key is checked for the
// one, and the other would be done.
func TestMethodsAndTasksThatStandTwice(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "a talk"})
	mine := ask(t, s)
	defer s.Engine.HoldCaptions()()
	id, other := mine.made(video), mine.made("https://youtu.be/dQw4w9WgXcA")
	scopeless := mine
	scopeless.key = s.NewKey(t, servertest.Account, account.Batches)
	for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
		for _, second := range []string{"ping", "tools/call"} {
			res := scopeless.send(method, id, fmt.Sprintf(`"x":1},"Method":%q,"params":{"name":"get_job","taskId":%q`, second, id))
			assert.Equal(t, -32600, res.Error.Code, "%s as %s: %+v", method, second, res)
			assert.Contains(t, res.Error.Message, "twice")
		}
		res := mine.send(method, other, fmt.Sprintf(`"taskId":%q,"TaskID":%q`, id, other))
		assert.Equal(t, -32600, res.Error.Code, "%s: %+v", method, res)
	}
	for _, one := range []string{id, other} {
		assert.Equal(t, "working", mine.task("tasks/get", one).Result["status"], "no task is cancelled")
	}
}

// Headers that say something else than the body are refused.
func TestMirroredHeaders(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	a := ask(t, s)
	defer s.Engine.HoldCaptions()()
	id := a.made(video)
	other := "01a20b7d-de5c-7090-8efa-bf813edb6e26"
	for name, headers := range map[string][]string{
		"another task": {"Mcp-Name", other}, "no task": {"Mcp-Name", ""},
		"another method": {"Mcp-Method", "tools/call"}, "no method": {"Mcp-Method", ""},
	} {
		res := a.task("tasks/get", id, headers...)
		assert.Equal(t, -32020, res.Error.Code, "%s: %+v", name, res)
		assert.Equal(t, http.StatusBadRequest, res.status, name)
	}
	res := a.send("tools/list", "", "", "MCP-Protocol-Version", "2025-11-25")
	assert.Equal(t, -32020, res.Error.Code, "another version: %+v", res)
	a.version = "2025-11-25" // whose requests have no such headers
	res = a.task("tasks/get", id, "Mcp-Name", "", "Mcp-Method", "")
	assert.Equal(t, -32021, res.Error.Code, "%+v", res)
}

// Messages that the protocol does not have are told in its own form.
func TestWrongMessages(t *testing.T) {
	t.Parallel()
	a := ask(t, servertest.New(t))
	res := a.send("tools/call", "fly", `"name":"fly"`)
	assert.Equal(t, http.StatusBadRequest, res.status)
	assert.Equal(t, -32602, res.Error.Code)
	assert.Equal(t, `There is no tool "fly".`, res.Error.Message)
	assert.JSONEq(t, "7", string(res.ID))
	for _, method := range []string{"tasks/list", "tasks/result", strings.Repeat("x", 200)} {
		res := a.send(method, "", `"taskId":"x"`)
		assert.Equal(t, -32601, res.Error.Code, "%s: %+v", method, res)
	}
}

// The server says what it can do.
func TestDiscover(t *testing.T) {
	t.Parallel()
	a := ask(t, servertest.New(t))
	res := a.send("server/discover", "", "")
	require.Equal(t, http.StatusOK, res.status)
	assert.Contains(t, res.Result["capabilities"].(map[string]any)["extensions"], tasksExtension)
	for _, version := range []string{"2025-06-18", "2025-11-25", newest} {
		assert.Contains(t, res.Result["supportedVersions"], version)
	}
	assert.Equal(t, "private", res.Result["cacheScope"])
}
