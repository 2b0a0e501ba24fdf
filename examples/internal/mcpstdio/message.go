package mcpstdio

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
)

// message is the part of a JSON-RPC message that a bridge needs.
type message struct {
	line []byte // the whole message
	bad  bool   // no JSON object

	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		URI       string          `json:"uri"`
		TaskID    string          `json:"taskId"`
		RequestID json.RawMessage `json:"requestId"`
		Meta      struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	} `json:"params"`
	Result struct {
		Version string `json:"protocolVersion"`
	} `json:"result"`
}

// parse reads a message. Members of other types than the protocol has are left empty, so that the
// server refuses the message.
func parse(line []byte) message {
	m := message{line: line}
	if err := json.Unmarshal(line, &m); err != nil {
		m.bad = !json.Valid(line)
	}
	return m
}

// wantsAnswer reports whether the message is a request.
func (m message) wantsAnswer() bool {
	return m.Method != "" && len(m.ID) > 0 && !bytes.Equal(m.ID, []byte("null"))
}

// answers reports whether the message is the answer to a request.
func (m message) answers(request message) bool {
	return m.Method == "" && bytes.Equal(m.ID, request.ID)
}

// name returns what the header Mcp-Name repeats.
func (m message) name() string {
	switch {
	case m.Method == "tools/call", m.Method == "prompts/get":
		return m.Params.Name
	case m.Method == "resources/read":
		return m.Params.URI
	case strings.HasPrefix(m.Method, "tasks/"):
		return m.Params.TaskID
	}
	return ""
}

// mirror sets the headers that repeat parts of the message. The version of the protocol is in the
// message, or was agreed on before.
func (m message) mirror(h http.Header, agreed string) {
	version := agreed
	if m.Params.Meta.Version != "" {
		version = m.Params.Meta.Version
	}
	for name, value := range map[string]string{"MCP-Protocol-Version": version, "Mcp-Method": m.Method, "Mcp-Name": m.name()} {
		if value != "" {
			h.Set(name, headerValue(value))
		}
	}
}

// headerValue encodes a text for a header as the protocol requires.
func headerValue(text string) string {
	odd := func(r rune) bool { return r < ' ' || r > '~' }
	if strings.ContainsFunc(text, odd) || strings.TrimSpace(text) != text || strings.HasPrefix(text, "=?base64?") {
		return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(text)) + "?="
	}
	return text
}

// failure returns the answer to a request for which the bridge gets no answer.
func failure(id json.RawMessage, code int, text string) []byte {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	type fault struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	line, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   fault           `json:"error"`
	}{"2.0", id, fault{code, text}})
	if err != nil { // the id was already read as JSON
		return nil
	}
	return line
}
