package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
)

// The limits of the body of a request, in bytes. The largest body is that of a create_batch. A
// call of another tool may wait for a job, and holds its body for this time.
const (
	maxMessage = 1 << 20
	maxCall    = 64 << 10
)

// message is the only message in the body of a request, as far as the face itself reads
// it.
type message struct {
	method   string
	id       json.RawMessage // a string or a number; nil means a notification
	params   params
	progress bool // the caller wants progress reports
}

// params are the params of the methods that the face knows.
type params struct {
	Name   string                     `json:"name"`   // of a tool
	TaskID string                     `json:"taskId"` // of a method of tasks
	Meta   map[string]json.RawMessage `json:"_meta"`
}

const callTool = "tools/call"

// Limits of the texts that an answer repeats, in bytes.
const (
	maxMethod = 128
	maxID     = 256
)

// readMessage reads a message. An error is an error of the protocol, for the client. The SDK
// also reads the message, with its own reader: see Face.handler.
func readMessage(body []byte) (message, error) {
	if body = bytes.TrimSpace(body); len(body) > 0 && body[0] == '[' {
		return message{}, wrongf(jsonrpc.CodeInvalidRequest, "A request has one message: batches are not taken.")
	}
	var read struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if err := json.Unmarshal(body, &read); err != nil {
		return message{}, wrongf(jsonrpc.CodeParseError, "The body is no message of JSON-RPC 2.0.")
	}
	m := message{method: read.Method}
	if len(read.ID) > maxID {
		return m, wrongf(jsonrpc.CodeInvalidRequest, "The id has at most %d bytes.", maxID)
	}
	if string(read.ID) != "null" {
		m.id = read.ID
	}
	switch {
	case !isID(m.id):
		m.id = nil
		return m, wrongf(jsonrpc.CodeInvalidRequest, "The id must be a string, or a whole number of at most 53 bits.")
	case m.method == "":
		return m, wrongf(jsonrpc.CodeInvalidRequest, "The message has no method: this server sends no requests, so it takes no responses.")
	case len(m.method) > maxMethod:
		return m, wrongf(jsonrpc.CodeMethodNotFound, "There is no method %s.", quoted(m.method))
	case m.method != callTool && !m.ofTasks():
		return m, nil
	}
	if err := json.Unmarshal(read.Params, &m.params); err != nil {
		return m, wrongf(jsonrpc.CodeInvalidParams, "The params must be an object with the name of a tool, or the id of a task.")
	}
	m.progress = m.params.Meta["progressToken"] != nil
	return m, nil
}

// isID reports whether an id, if there is one, has the same meaning for all readers. For a
// fraction or a large number, the SDK would answer with a different number.
func isID(id json.RawMessage) bool {
	_, err := strconv.ParseInt(string(id), 10, 54)
	return len(id) == 0 || err == nil || id[0] == '"'
}

// wrongf is an error of the protocol.
func wrongf(code int64, text string, args ...any) *jsonrpc.Error {
	return &jsonrpc.Error{Code: code, Message: fmt.Sprintf(text, args...)}
}

// errTwice refuses a message that the SDK reads differently: readMessage accepts a name in any
// case, and uses the last of two equal names.
var errTwice = wrongf(jsonrpc.CodeInvalidRequest, "The message has a member twice.")

// answerWrong answers a message that is not passed to the SDK.
func answerWrong(w http.ResponseWriter, m *message, wrong *jsonrpc.Error) error {
	id := m.id
	if len(id) == 0 || len(id) > maxID {
		id = json.RawMessage("null")
	}
	return edge.RespondJSON(w, http.StatusBadRequest, struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *jsonrpc.Error  `json:"error"`
	}{"2.0", id, wrong})
}

// quoted repeats a caller's text, with a limit.
func quoted(text string) string { return strconv.Quote(clip.Text(text)) }
