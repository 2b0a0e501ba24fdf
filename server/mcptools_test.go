package server_test

import (
	"encoding/json"
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
	require.False(t, call(t, session, "get_transcript", map[string]any{"url": video}).IsError)

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
