package mcp

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
)

// sessionless is the version of the protocol whose requests each say who the client is.
const sessionless = "2026-07-28"

// direct reports whether a request needs nothing of the protocol but a tool and its answer. Such
// a call is answered without the SDK, which would make a session for the request, and decode the
// body and encode a page several times. Every other request goes to the SDK. The SDK has the
// right refusal for a wrong request.
func (f *Face) direct(r *http.Request, m *message) bool {
	return m.method == callTool && m.whole() && !m.progress && len(m.params.InputResponses) == 0 && m.params.RequestState == "" &&
		acceptsBoth(r.Header) && r.Header["Last-Event-Id"] == nil && (m.ofSession(r.Header) || m.sessionless(r.Header))
}

// ofSession reports whether the request is of a version that has sessions, which this server
// does not keep.
func (m *message) ofSession(h http.Header) bool {
	switch h.Get("Mcp-Protocol-Version") {
	case "", "2025-03-26", "2025-06-18", "2025-11-25":
		return m.params.Meta[sdk.MetaKeyProtocolVersion] == nil
	}
	return false
}

// sessionless reports whether the request is as the newest version wants it: its headers repeat
// the body, and it says what the client is able to do.
func (m *message) sessionless(h http.Header) bool {
	meta := m.params.Meta
	if h.Get("Mcp-Protocol-Version") != sessionless || string(meta[sdk.MetaKeyProtocolVersion]) != `"`+sessionless+`"` ||
		h.Get("Mcp-Method") != m.method || h.Get("Mcp-Name") != m.params.Name {
		return false
	}
	client := meta[sdk.MetaKeyClientInfo]
	able := new(struct {
		Extensions map[string]json.RawMessage `json:"extensions"`
	})
	return json.Unmarshal(meta[sdk.MetaKeyClientCapabilities], able) == nil && len(able.Extensions) == 0 &&
		(client == nil || json.Unmarshal(client, new(sdk.Implementation)) == nil)
}

// acceptsBoth reports whether the client takes both forms of an answer, as it must.
func acceptsBoth(h http.Header) bool {
	accept := strings.Join(h["Accept"], ",")
	return strings.Contains(accept, "application/json") && strings.Contains(accept, "text/event-stream")
}

// answered is the answer to a call, as JSON-RPC has it.
type answered struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  struct {
		ResultType        string         `json:"resultType,omitempty"`
		Meta              map[string]any `json:"_meta,omitempty"`
		Content           []sdk.Content  `json:"content"`
		StructuredContent any            `json:"structuredContent,omitempty"`
		IsError           bool           `json:"isError,omitempty"`
	} `json:"result"`
}

// serveDirect answers a call for which direct is true.
func (f *Face) serveDirect(w http.ResponseWriter, r *http.Request, c *call) error {
	c.marks = true
	t := f.tools[c.params.Name]
	res := f.run(r.Context(), c, t, &sdk.CallToolRequest{Params: &sdk.CallToolParamsRaw{Name: t.name, Arguments: c.params.Arguments}})
	if r.Context().Err() != nil {
		return r.Context().Err() // the client is gone
	}
	a := answered{Version: "2.0", ID: c.id}
	a.Result.Content, a.Result.StructuredContent, a.Result.IsError = res.Content, res.StructuredContent, res.IsError
	if r.Header.Get("Mcp-Protocol-Version") == sessionless {
		a.Result.ResultType, a.Result.Meta = "complete", map[string]any{sdk.MetaKeyServerInfo: f.about}
	}
	body, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("server: rendering an answer: %w", err)
	}
	before, after, marked := bytes.Cut(body, quotedMark)
	if !marked || c.page == nil {
		edge.Respond(w, edge.JSONType, http.StatusOK, body)
		return nil
	}
	return edge.RespondPacked(w, r, edge.JSONType, http.StatusOK, packed.NewBody(packed.Raw(before), c.page, packed.Raw(after)))
}

// pageMark is a text in an answer that is answered directly. The page of a transcript takes its
// place when the answer is written, so that the page stays packed. No caller knows the mark.
var pageMark = rand.Text()

// quotedMark is the mark as a string of JSON.
var quotedMark = []byte(`"` + pageMark + `"`)

// shown is the text of a page: the mark, or the text itself for an answer of the SDK.
func (c *call) shown(page *packed.Bytes) (text string, err error) {
	if c.marks {
		c.page = page
		return pageMark, nil
	}
	quoted, err := page.Plain()
	if err == nil {
		err = json.Unmarshal(quoted, &text)
	}
	return text, err
}
