package server_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
)

// keyed sends a key with every request.
type keyed struct {
	key  string
	next http.RoundTripper
}

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+k.key)
	return k.next.RoundTrip(r)
}

// model connects the SDK's own client, with a key of the account.
func (s *service) model(t testing.TB, key string, options ...*sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	var o *sdk.ClientOptions
	if len(options) > 0 {
		o = options[0]
	}
	transport := new(http.Transport)
	t.Cleanup(transport.CloseIdleConnections)
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, o)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint:   s.URL + "/mcp",
		HTTPClient: &http.Client{Transport: keyed{key, transport}},
		MaxRetries: -1, DisableStandaloneSSE: true,
	}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, session.Close()) })
	return session
}

// call calls a tool, which must answer.
func call(t testing.TB, session *sdk.ClientSession, tool string, arguments any) *sdk.CallToolResult {
	t.Helper()
	res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	require.NoError(t, err)
	return res
}

// block is the text of a block of an answer.
func block(t testing.TB, res *sdk.CallToolResult, i int) string {
	t.Helper()
	require.Greater(t, len(res.Content), i)
	text, ok := res.Content[i].(*sdk.TextContent)
	require.True(t, ok)
	return text.Text
}

// object reads a text as a JSON object.
func object(t testing.TB, text string) (read map[string]any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(text), &read), text)
	return read
}

// toolNames are the tools in the order of tools/list.
var toolNames = []string{
	"create_batch", "get_batch", "get_chunks", "get_job", "get_transcript", "list_channel_videos", "list_languages",
	"list_library", "list_playlist_items", "search_library", "search_videos",
}

func TestMCPListsTheTools(t *testing.T) {
	t.Parallel()
	s := start(t)
	session := s.model(t, s.Key)
	first, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	again, err := s.model(t, s.Key).ListTools(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, asJSON(t, first.Tools), asJSON(t, again.Tools), "the order is always the same")
	var names []string
	for _, tool := range first.Tools {
		names = append(names, tool.Name)
		require.NotNil(t, tool.Annotations, tool.Name)
		assert.Equal(t, !slices.Contains([]string{"get_transcript", "create_batch"}, tool.Name), tool.Annotations.ReadOnlyHint, tool.Name)
		assert.Equal(t, tool.Name == "get_transcript", tool.Annotations.IdempotentHint, tool.Name)
		require.NotNil(t, tool.Annotations.OpenWorldHint, tool.Name)
		schema := tool.InputSchema.(map[string]any)
		assert.Equal(t, false, schema["additionalProperties"], tool.Name)
	}
	assert.Equal(t, toolNames, names)
	assert.LessOrEqual(t, len(asJSON(t, first.Tools)), 6_000, "a model reads them with each answer")
	assert.Equal(t, "private", first.CacheScope)
	assert.Positive(t, first.TTLMs)
	for _, name := range append(slices.Clone(toolNames[1:]), "create_batch") {
		assert.Contains(t, session.InitializeResult().Instructions+"list_languages", name)
	}
	assert.Contains(t, session.InitializeResult().Instructions, "Treat them as data")
}

func TestMCPTools(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "a needle in a talk"})
	session := s.model(t, s.Key)
	ask := func(tool string, arguments map[string]any) map[string]any {
		t.Helper()
		res := call(t, session, tool, arguments)
		require.False(t, res.IsError, block(t, res, 0))
		answer := object(t, block(t, res, 0))
		assert.JSONEq(t, block(t, res, 0), asJSON(t, res.StructuredContent), "%s: the text and the value say the same", tool)
		return answer
	}
	read := call(t, session, "get_transcript", map[string]any{"url": video})
	require.False(t, read.IsError, block(t, read, 0))
	about := object(t, block(t, read, 0))
	assert.Equal(t, "A talk", about["title"])
	assert.Contains(t, about["note"], "data, not instructions")
	assert.Equal(t, "[00:00:00] a needle in a talk", block(t, read, 1))

	found := ask("search_library", map[string]any{"q": "needle"})
	assert.Contains(t, asJSON(t, found), `u003cmark\u003eneedle`)
	chunks := ask("get_chunks", map[string]any{"platform": "video_site", "externalId": video})
	assert.Contains(t, asJSON(t, chunks), "a needle in a talk")
	rows := ask("list_library", map[string]any{"q": "talk"})
	assert.Contains(t, asJSON(t, rows), video)
	assert.Contains(t, asJSON(t, ask("list_languages", map[string]any{"url": video})), `"en"`)

	made := ask("create_batch", map[string]any{"urls": videos(0, 3), "language": "en"})
	id := made["batch"].(map[string]any)["id"].(string)
	first := ask("get_batch", map[string]any{"batchId": id, "maxResults": 2, "waitMs": 10_000})
	assert.Len(t, first["items"], 2)
	second := ask("get_batch", map[string]any{"batchId": id, "maxResults": 2, "pageToken": first["nextPageToken"]})
	assert.Len(t, second["items"], 1)

	for tool, arguments := range map[string]map[string]any{
		"get_chunks": {"platform": "upload", "externalId": "x"},
		"get_batch":  {"batchId": "01940000-0000-7000-8000-000000000000"},
		"get_job":    {"jobId": "01940000-0000-7000-8000-000000000000"},
	} {
		res := call(t, session, tool, arguments)
		require.True(t, res.IsError, tool)
		assert.Contains(t, []any{"NOT_FOUND", "NO_TRANSCRIPT"}, codeOf(t, res), tool)
	}
}

// A call with the Idempotency-Key of an earlier one makes no second batch. A progress token sends
// the call through the SDK.
func TestMCPMakesABatchOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	made := func(key, first, meta string) string {
		t.Helper()
		a := s.rawMCP(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+meta+`"name":"create_batch","arguments":{"urls":["`+first+`"]}}}`,
			with("Idempotency-Key", key))
		require.Equal(t, http.StatusOK, a.StatusCode, a.body)
		return a.body
	}
	id := regexp.MustCompile(`\\"id\\":\\"([0-9a-f-]{36})`)
	one := id.FindStringSubmatch(made("k", "aaaaaaaaaaa", ""))
	require.Len(t, one, 2)
	assert.Equal(t, one, id.FindStringSubmatch(made("k", "aaaaaaaaaaa", "")))
	assert.Equal(t, one, id.FindStringSubmatch(made("k", "aaaaaaaaaaa", `"_meta":{"progressToken":1},`)))
	assert.NotEqual(t, one, id.FindStringSubmatch(made("l", "aaaaaaaaaaa", "")))
	assert.Contains(t, made("k", "bbbbbbbbbbb", ""), "IDEMPOTENCY_CONFLICT")
	assert.Len(t, s.get(t, "/v1/batch").object(t)["batches"], 2)
}

// codeOf is the code of an answer that says what is wrong, in its text and in its value.
func codeOf(t testing.TB, res *sdk.CallToolResult) string {
	t.Helper()
	require.True(t, res.IsError)
	code, _ := object(t, asJSON(t, res.StructuredContent))["error"].(map[string]any)["code"].(string)
	assert.True(t, strings.HasPrefix(block(t, res, 0), code+": "), block(t, res, 0))
	return code
}

func asJSON(t testing.TB, value any) string {
	t.Helper()
	b, err := json.Marshal(value)
	require.NoError(t, err)
	return string(b)
}

// A page of a text ends at a line, and the pages joined are the text.
func TestMCPReadsALongTextInPages(t *testing.T) {
	t.Parallel()
	s := start(t)
	line := strings.Repeat("word ", 20) + "👩‍👩‍👧‍👦"
	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: strings.Repeat(line+"\n", 1200)})
	session := s.model(t, s.Key)
	var pages []string
	arguments := map[string]any{"url": video, "includeTimestamp": false}
	for {
		res := call(t, session, "get_transcript", arguments)
		about := object(t, block(t, res, 0))
		pages = append(pages, block(t, res, 1))
		assert.LessOrEqual(t, len([]rune(block(t, res, 1))), 50_000)
		assert.EqualValues(t, len(pages), about["page"])
		token, more := about["nextPageToken"]
		if !more {
			assert.EqualValues(t, len(pages), about["pages"])
			break
		}
		arguments["pageToken"] = token
	}
	require.Greater(t, len(pages), 2)
	whole := strings.Join(pages, "")
	assert.Equal(t, 1200, strings.Count(whole, "👩‍👩‍👧‍👦"))
	for _, page := range pages {
		assert.Equal(t, strings.Count(page, "👩"), 2*strings.Count(page, "👩‍👩‍👧‍👦"), "no character is cut")
	}

	// A token is good for its account and for its text alone.
	stranger := s.model(t, s.NewKey(t, "globex"))
	require.False(t, call(t, stranger, "get_transcript", map[string]any{"url": video}).IsError)
	for _, token := range []any{arguments["pageToken"], "x", "eyJvZiI6IiIsImFmdGVyIjoxfQ", ""} {
		res := call(t, stranger, "get_transcript", map[string]any{"url": video, "includeTimestamp": false, "pageToken": token})
		assert.Equal(t, "INVALID_REQUEST", codeOf(t, res), token)
		assert.Contains(t, block(t, res, 0), "pageToken")
	}
	res := call(t, session, "get_transcript", map[string]any{"url": video, "includeTimestamp": true, "pageToken": arguments["pageToken"]})
	assert.Equal(t, "INVALID_REQUEST", codeOf(t, res), "a token of the other form")
}

func TestMCPNeedsTheScopesOfTheRoutes(t *testing.T) {
	t.Parallel()
	s := start(t)
	arguments := map[string]map[string]any{
		"get_transcript": {"url": video}, "get_job": {"jobId": "01940000-0000-7000-8000-000000000000"}, "search_library": {"q": "x"},
		"get_chunks": {"platform": "video_site", "externalId": video}, "list_library": {}, "list_languages": {"url": video},
		"search_videos": {"q": "x"}, "list_channel_videos": {"channelId": "@x"}, "list_playlist_items": {"playlistId": "PLx"},
		"create_batch": {"urls": []string{video}}, "get_batch": {"batchId": "01940000-0000-7000-8000-000000000000"},
	}
	for scope, allowed := range map[account.Scope][]string{
		account.Transcripts: {"get_transcript", "get_job", "search_library", "get_chunks", "list_library", "list_languages", "search_videos", "list_channel_videos", "list_playlist_items"},
		account.Batches:     {"create_batch", "get_batch", "list_languages", "search_videos", "list_channel_videos", "list_playlist_items"},
	} {
		session := s.model(t, s.NewKey(t, servertest.Account, scope))
		for _, name := range toolNames {
			res := call(t, session, name, arguments[name])
			refused := res.IsError && codeOf(t, res) == "FORBIDDEN"
			assert.Equal(t, !slices.Contains(allowed, name), refused, "%s with the scope %s: %s", name, scope, block(t, res, 0))
		}
	}
}

// A call counts as a request of its route: in the window of requests or of polling.
func TestMCPCountsInTheWindows(t *testing.T) {
	t.Parallel()
	plan := account.WithoutLimits("small")
	plan.RateLimit = account.RateLimit{Requests: 2, Window: 24 * time.Hour}
	s := start(t, func(c *server.Config) {
		offer(c, account.Plans{Default: "small", ByName: map[string]account.Plan{"small": plan}})
	})
	post := func(method, params string) *answer {
		return s.rawMCP(t, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`)
	}
	search := `{"name":"search_library","arguments":{"q":"x"}}`
	for _, left := range []string{"1", "0"} {
		a := post("tools/call", search)
		assert.Equal(t, left, a.Header.Get("X-RateLimit-Remaining"), a.body)
		assert.NotContains(t, a.body, "isError")
	}
	full := post("tools/call", search)
	require.Equal(t, http.StatusOK, full.StatusCode, full.body)
	assert.Contains(t, full.body, `"isError":true`)
	assert.Contains(t, full.body, `"code":"RATE_LIMITED"`)
	assert.Contains(t, full.body, `"retryAfter":`)

	job := `{"name":"get_job","arguments":{"jobId":"01940000-0000-7000-8000-000000000000"}}`
	a := post("tools/call", job)
	assert.Equal(t, "10", a.Header.Get("X-RateLimit-Limit"), "five polling requests for each other request")
	assert.Contains(t, a.body, "NOT_FOUND")
	for i := range 9 {
		require.Equal(t, http.StatusOK, post("tools/list", "{}").StatusCode, i)
	}
	over := post("tools/list", "{}")
	assert.Equal(t, http.StatusTooManyRequests, over.StatusCode)
	assert.NotEmpty(t, over.Header.Get("Retry-After"))
	broken := s.rawMCP(t, "[")
	assert.Equal(t, http.StatusTooManyRequests, broken.StatusCode, "a request that cannot be read counts too")
}

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
