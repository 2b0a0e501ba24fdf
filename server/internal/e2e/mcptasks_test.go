package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// mcpTask is what a client of MCP reads of a task, or of the result of a tool.
type mcpTask struct {
	ResultType string `json:"resultType"`
	TaskID     string `json:"taskId"`
	Status     string `json:"status"`
	Result     struct {
		IsError bool `json:"isError"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	} `json:"result"`
}

// askMCP sends a request of a client that declares Tasks.
func askMCP(ctx context.Context, url, key, method, name, params string) (mcpTask, error) {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
		"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}}`, method, params)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/mcp", bytes.NewReader([]byte(body)))
	if err != nil {
		return mcpTask{}, err
	}
	for header, value := range map[string]string{
		"Authorization": "Bearer " + key, "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name,
	} {
		r.Header.Set(header, value)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return mcpTask{}, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return mcpTask{}, err
	}
	var answer struct {
		Result *mcpTask        `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(text, &answer); err != nil || answer.Result == nil {
		return mcpTask{}, fmt.Errorf("status %d: %s", res.StatusCode, text)
	}
	return *answer.Result, nil
}

// killedTasks is how many processes are killed in make test.
const killedTasks = 4

// soakedTasks is how many processes are killed in make soak.
const soakedTasks = 200

// A client that was told of a task finds the task after a kill of the process, and the task ends.
func TestKillBeforeTasksGet(t *testing.T) {
	full(t)
	t.Parallel()
	onBoth(t, func(t *testing.T, s place) { s.killBeforeTasksGet(t, killedTasks) })
}

func TestSoakKillBeforeTasksGet(t *testing.T) {
	soak(t)
	onBoth(t, func(t *testing.T, s place) { s.killBeforeTasksGet(t, soakedTasks) })
}

// onBoth runs a test on both databases.
func onBoth(t *testing.T, test func(t *testing.T, s place)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, o store.Options) { test(t, newPlace(t, o.Database)) })
}

// killBeforeTasksGet kills a process after each answer with a task: half of the processes at once,
// half of them when the captions have been read. Each task ends with its own text. Each call has
// made one job, and no content that was stored before the kill is read again.
//
// On SQLite the next process takes up the work at once. There each task ends before the next kill,
// because a job that loses its process four times is given up.
func (s place) killBeforeTasksGet(t *testing.T, kills int) {
	t.Helper()
	s.reads = "20ms"
	key := s.makeKey(t)
	st := db.Of(s.open(t))
	running := s.spawn(t, "127.0.0.1:0")
	tasks := make([]string, kills)
	stored := 0 // at the kill, by jobs
	var done []string
	for i := range tasks {
		video := fmt.Sprintf("t00000-%04d", i)
		made, err := askMCP(t.Context(), running.url, key, "tools/call", "get_transcript",
			fmt.Sprintf(`"name":"get_transcript","arguments":{"url":"https://youtu.be/%s"}`, video))
		require.NoError(t, err)
		require.Equal(t, "task", made.ResultType)
		require.Equal(t, "working", made.Status)
		tasks[i] = made.TaskID
		if i%2 == 1 {
			require.Eventually(t, func() bool { return begun(t, s.diary)[video] > 0 }, time.Minute, time.Millisecond)
		}
		running.kill()
		job, err := st.Jobs.Owned(t.Context(), "acme", made.TaskID)
		require.NoError(t, err, "the answer came before the job was stored")
		if job.TranscriptID != "" {
			stored++
			done = append(done, video)
		}
		running = s.spawn(t, "127.0.0.1:0")
		after, err := askMCP(t.Context(), running.url, key, "tasks/get", made.TaskID, fmt.Sprintf(`"taskId":%q`, made.TaskID))
		require.NoError(t, err)
		require.Equal(t, made.TaskID, after.TaskID)
		require.Contains(t, []string{"working", "completed"}, after.Status)
		if strings.HasPrefix(s.database, "sqlite:") {
			s.awaitTask(t, running, key, made.TaskID)
		}
	}
	for i, id := range tasks {
		last := s.awaitTask(t, running, key, id)
		require.Equal(t, "completed", last.Status)
		require.False(t, last.Result.IsError, "%+v", last.Result)
		require.Len(t, last.Result.Content, 2)
		require.Contains(t, last.Result.Content[1].Text, fmt.Sprintf("t00000-%04d says its sentence number 49.", i))
	}
	reads, again := begun(t, s.diary), 0
	for _, video := range done {
		assert.Equal(t, 1, reads[video], "%s was stored and has been read again", video)
	}
	for _, n := range reads {
		again += n - 1
	}
	usage, err := newClient(t, running.url, key).Usage.Get(t.Context())
	require.NoError(t, err)
	assert.EqualValues(t, kills, usage.Transcripts.Used, "each is paid for once")
	t.Logf("%d kills: %d tasks had ended before, %d contents that were not stored have been read again", kills, stored, again)
}

// awaitTask returns a task when it has ended.
func (s place) awaitTask(t *testing.T, at *child, key, id string) (last mcpTask) {
	t.Helper()
	require.Eventually(t, func() bool {
		var err error
		last, err = askMCP(t.Context(), at.url, key, "tasks/get", id, fmt.Sprintf(`"taskId":%q`, id))
		return assert.NoError(t, err) && last.Status != "working"
	}, 4*time.Minute, 20*time.Millisecond)
	return last
}
