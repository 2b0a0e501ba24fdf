package server_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
)

// rawMCP sends a body to /mcp as a client does, with changes.
func (s *service) rawMCP(t testing.TB, body string, changes ...change) *answer {
	t.Helper()
	return s.plain(t).do(t, http.MethodPost, "/mcp", strings.NewReader(body), append([]change{
		with("Content-Type", "application/json"), with("Accept", "application/json, text/event-stream"),
	}, changes...)...)
}

// plain is the service for requests that the API's document does not have.
func (s *service) plain(t testing.TB) *service {
	t.Helper()
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &service{Server: s.Server, http: &http.Client{Transport: transport}}
}

// with sets a header in place of the one that is there.
func with(name, value string) change { return func(r *http.Request) { r.Header.Set(name, value) } }

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

func TestMCPRefusesWhatIsNoMessage(t *testing.T) {
	t.Parallel()
	s := start(t)
	call := func(arguments string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_library","arguments":` + arguments + `}}`
	}
	deep := strings.Repeat(`{"a":`, 9_000) + "1" + strings.Repeat("}", 9_000)
	for name, c := range map[string]struct {
		body   string
		change change
		status int
		says   string
	}{
		"no body":                {"", nil, 400, "-32700"},
		"no JSON":                {"{", nil, 400, "-32700"},
		"a batch":                {"[" + listTools + "]", nil, 400, "batches are not taken"},
		"a response":             {`{"jsonrpc":"2.0","id":1,"result":{}}`, nil, 400, "-32600"},
		"a long id":              {`{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 300) + `","method":"tools/list"}`, nil, 400, "at most 256 bytes"},
		"an id with a fraction":  {`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, nil, 400, "The id must be"},
		"an id beyond 53 bits":   {`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, nil, 400, "The id must be"},
		"an id of all 53 bits":   {`{"jsonrpc":"2.0","id":9007199254740991,"method":"ping"}`, nil, 200, `"id":9007199254740991`},
		"an object as id":        {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, nil, 400, "The id must be"},
		"a long method":          {`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 100_000) + `"}`, nil, 400, "There is no method"},
		"a long tool":            {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + strings.Repeat("x", 100_000) + `"}}`, nil, 400, "There is no tool"},
		"params of a wrong type": {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}`, nil, 400, "-32602"},
		"deep params":            {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":` + deep + `}`, nil, 400, ""},
		"deep arguments":         {call(deep), nil, 400, "INVALID_REQUEST"},
		"a long unknown name":    {call(`{"q":"x","` + strings.Repeat("y", 50_000) + `":1}`), nil, 200, "is not a property of this request"},
		"an unknown argument":    {call(`{"q":"x","limit":5}`), nil, 200, "limit is not a property of this request"},
		"params of initialize":   {`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":[1]}}`, nil, 200, "cannot be read"},
		"arguments of no type":   {call(`"x"`), nil, 200, "INVALID_REQUEST"},
		"a large call":           {call(`{"q":"` + strings.Repeat("x", 100_000) + `"}`), nil, 400, "larger than 65536 bytes"},
		"too large":              {call(`{"q":"` + strings.Repeat("x", 1<<20) + `"}`), nil, 400, "larger than"},
		"plain text":             {listTools, with("Content-Type", "text/plain"), 415, "unsupported_media_type"},
		"packed":                 {listTools, with("Content-Encoding", "gzip"), 415, "unsupported_media_type"},
		"one form":               {listTools, with("Accept", "application/json"), 400, "text/event-stream"},
		"an unknown version":     {listTools, with("Mcp-Protocol-Version", "2020-01-01"), 400, "INVALID_REQUEST"},
		"another origin":         {listTools, with("Origin", "https://evil.example"), 403, "FORBIDDEN"},
		"another host":           {listTools, func(r *http.Request) { r.Host = "evil.example" }, 403, "FORBIDDEN"},
		"another tool in the end": {
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_library","arguments":{},"_meta":{"progressToken":1},"NAME":"get_job"}}`,
			nil, 200, "a member twice",
		},
	} {
		changes := []change{}
		if c.change != nil {
			changes = append(changes, c.change)
		}
		a := s.rawMCP(t, c.body, changes...)
		assert.Equal(t, c.status, a.StatusCode, "%s: %s", name, a.body)
		assert.Contains(t, a.body, c.says, name)
		assert.Less(t, len(a.body), 4_000, name)
		assert.NotContains(t, a.body, "Go struct", name)
		assert.NotContains(t, a.body, "json:", name)
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		a := s.plain(t).do(t, method, "/mcp", nil)
		assert.Equal(t, http.StatusMethodNotAllowed, a.StatusCode)
		assert.Equal(t, "POST", a.Header.Get("Allow"))
	}
	assert.Equal(t, http.StatusUnauthorized, s.rawMCP(t, listTools, as("")).StatusCode)
	withHeader := s.rawMCP(t, listTools, as(""), header("X-API-Key", s.Key))
	assert.Equal(t, http.StatusOK, withHeader.StatusCode, "the header of the API works too")
}

// shortWaits lets every wait end at once.
func shortWaits(c *server.Config) {
	server.SettingsOf(c).Timeout = func(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		return ctx, cancel
	}
}

func TestMCPAnswersWithAJob(t *testing.T) {
	t.Parallel()
	s := start(t, shortWaits)
	release := s.Engine.Hold()
	session := s.model(t, s.Key)
	link := map[string]any{"url": video, "language": "asr"}
	res := call(t, session, "get_transcript", link)
	require.False(t, res.IsError, block(t, res, 0))
	running := object(t, block(t, res, 0))
	id, _ := running["jobId"].(string)
	require.NotEmpty(t, id, running)
	assert.Contains(t, running["next"], "get_job")
	assert.NotEmpty(t, running["pollAfterSec"])
	assert.Equal(t, id, object(t, block(t, call(t, session, "get_transcript", link), 0))["jobId"], "the same job again")

	stranger := s.model(t, s.NewKey(t, "globex"))
	assert.Equal(t, "NOT_FOUND", codeOf(t, call(t, stranger, "get_job", map[string]any{"jobId": id})), "a job of another account")
	release()
	s.ended(t, id)
	done := call(t, session, "get_job", map[string]any{"jobId": id})
	require.Len(t, done.Content, 2, block(t, done, 0))
	assert.Contains(t, block(t, done, 1), "hello world")
}

// A caller who asks for progress hears of it, and gets the same answer at its end.
func TestMCPTellsProgress(t *testing.T) {
	t.Parallel()
	s := start(t)
	release := s.Engine.Hold()
	told := make(chan *sdk.ProgressNotificationParams, 100)
	session := s.model(t, s.Key, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { told <- r.Params },
	})
	params := &sdk.CallToolParams{Name: "get_transcript", Arguments: map[string]any{"url": video, "language": "asr"}}
	params.SetProgressToken("here")
	answered := make(chan *sdk.CallToolResult, 1)
	go func() {
		res, err := session.CallTool(t.Context(), params)
		assert.NoError(t, err)
		answered <- res
	}()
	first := <-told
	assert.Equal(t, "here", first.ProgressToken)
	assert.Positive(t, first.Progress)
	release()
	res := <-answered
	require.NotNil(t, res)
	require.Len(t, res.Content, 2)
	assert.Contains(t, block(t, res, 1), "hello world")
	again := call(t, session, "get_transcript", map[string]any{"url": video, "language": "asr"})
	assert.Equal(t, asJSON(t, res.Content), asJSON(t, again.Content), "an answer by events and one in JSON are the same")
}

// A client that goes away ends the wait, of any version of the protocol, and with events too.
func TestMCPEndsTheWaitOfAClientThatGoes(t *testing.T) {
	t.Parallel()
	for _, meta := range []string{``, `,"_meta":{"progressToken":1}`} {
		s := start(t)
		release := s.Engine.Hold()
		id := object(t, s.postJSON(t, `{"url":"`+video+`","language":"asr","waitMs":0}`).body)["jobId"].(string)
		ctx, leave := context.WithCancel(t.Context())
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_job","arguments":{"jobId":"` + id + `"}` + meta + `}}`
		gone := make(chan error, 1)
		go func() {
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/mcp", strings.NewReader(body))
			if err == nil {
				r.Header.Set("Authorization", "Bearer "+s.Key)
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Accept", "application/json, text/event-stream")
				var resp *http.Response
				if resp, err = s.plain(t).http.Do(r); err == nil {
					_, err = io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
				}
			}
			gone <- err
		}()
		require.Eventually(t, func() bool { return scrape(t, s.Metrics())["transcriptkit_http_event_streams"] == 1 }, time.Minute, time.Millisecond)
		leave()
		require.Error(t, <-gone, "the client has left")
		require.Eventually(t, func() bool { return scrape(t, s.Metrics())["transcriptkit_http_event_streams"] == 0 }, time.Minute, time.Millisecond)
		release()
		s.ended(t, id)
	}
}
