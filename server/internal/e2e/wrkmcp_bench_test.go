package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/ratio"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
)

// BenchmarkWrkMCP compares what a cached text costs the service in the tool get_transcript and
// in POST /v1/transcript: the processor time of a request. The text is the same: 178 KB of
// JSON, or pages of at most 50,000 characters of plain text. A request of the tool gets a page,
// the pages take turns, and the note of the row says how many there are. wrk sends to both what
// clients send, over connections that stay open.
func BenchmarkWrkMCP(b *testing.B) {
	const name = "CPU of a cached get_transcript, of a cached POST's"
	needsWrk(b)
	if !ratio.Wanted(name) {
		return
	}
	s := startFilled(b, storetest.SQLite(b), 0)
	link := map[string]any{"platform": "video_site", "externalId": contentID(0)}
	post := request{method: http.MethodPost, path: "/v1/transcript", header: http.Header{"Content-Type": {"application/json"}}, bodies: []string{asJSON(b, link)}}
	tool := request{method: http.MethodPost, path: "/mcp", header: http.Header{"Content-Type": {"application/json"}}}
	tool.header.Set("Accept", "application/json, text/event-stream")
	tool.header.Set("Mcp-Protocol-Version", "2025-11-25")
	for token := ""; ; {
		arguments := map[string]any{"url": contentID(0)}
		if token != "" {
			arguments["pageToken"] = token
		}
		body := asJSON(b, map[string]any{
			"jsonrpc": "2.0", "id": 1, "method": "tools/call",
			"params": map[string]any{"name": "get_transcript", "arguments": arguments},
		})
		tool.bodies = append(tool.bodies, body)
		if token = nextPage(b, s, tool, body); token == "" {
			break
		}
	}
	for b.Loop() {
		for _, coding := range []string{"identity", "gzip"} {
			row := ratio.Row{Name: name + ", " + coding, AtMost: 1.5,
				Missed: "the official SDK makes a session for each request, and decodes and encodes a page several times, in milliseconds: a model waits for seconds"}
			var ours, theirs []float64
			for range wrkRounds {
				p, t := aimed(b, s, post, coding), aimed(b, s, tool, coding)
				ours, theirs = append(ours, t.cpu), append(theirs, p.cpu)
				row.Ratios = append(row.Ratios, t.cpu/p.cpu)
			}
			row.Note = fmt.Sprintf("%.0f us of %.0f us; the whole text has %d pages", median(ours)/1e3, median(theirs)/1e3, len(tool.bodies))
			row.Report(b)
		}
	}
}

// aimed is a run of wrk that sends a request to the service.
func aimed(b *testing.B, s *filled, r request, coding string) wrkRun {
	b.Helper()
	r = r.with("Authorization", "Bearer "+s.Key).with("Accept-Encoding", coding)
	return runWrk(b, s.url+r.path, r.script(b))
}

// nextPage is the token of the page after the one that a call answers with; empty: there is
// none.
func nextPage(b *testing.B, s *filled, r request, body string) string {
	b.Helper()
	r = r.with("Authorization", "Bearer "+s.Key)
	status, _, whole := r.send(b, s.url, body)
	require.Equal(b, http.StatusOK, status, string(whole))
	var answer struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
	}
	require.NoError(b, json.Unmarshal(whole, &answer))
	require.Len(b, answer.Result.Content, 2, string(whole))
	require.False(b, answer.Result.IsError, string(whole))
	var about struct{ NextPageToken string }
	require.NoError(b, json.Unmarshal([]byte(answer.Result.Content[0].Text), &about))
	return about.NextPageToken
}

func asJSON(b *testing.B, value any) string {
	b.Helper()
	text, err := json.Marshal(value)
	require.NoError(b, err)
	return string(text)
}
