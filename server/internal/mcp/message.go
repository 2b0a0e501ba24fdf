package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/transcriptkit/transcriptkit/internal/clip"
)

// maxMessage bounds the body of a request, in bytes. The largest is a create_batch.
const maxMessage = 1 << 20

// message is the one message in the body of a request, as far as the face itself needs it.
type message struct {
	method   string
	id       jsonrpc.ID
	tool     string // of a tools/call
	progress bool   // the caller wants to hear of progress
}

const callTool = "tools/call"

// maxName bounds the name of a method or a tool, in bytes.
const maxName = 128

// readMessage reads a message with the SDK's own reader, so that the face and the SDK
// read the same. The error may be shown to the client.
func readMessage(body []byte) (message, error) {
	if body = bytes.TrimSpace(body); len(body) > 0 && body[0] == '[' {
		return message{}, errors.New("a request has one message: batches are not taken")
	}
	decoded, err := jsonrpc.DecodeMessage(body)
	if err != nil {
		return message{}, errors.New("the body is no message of JSON-RPC 2.0")
	}
	req, ok := decoded.(*jsonrpc.Request)
	if !ok {
		return message{}, errors.New("the body is a response: this server sends no requests")
	}
	if len(req.Method) > maxName {
		return message{id: req.ID}, errors.New("there is no method " + quoted(req.Method))
	}
	m := message{method: req.Method, id: req.ID}
	if m.method != callTool {
		return m, nil
	}
	var params struct {
		Name string `json:"name"`
		Meta struct {
			ProgressToken any `json:"progressToken"`
		} `json:"_meta"`
	}
	if err := json.Unmarshal(req.Params, &params); err != nil {
		return m, errors.New("params must be an object with the name of a tool")
	}
	m.tool, m.progress = params.Name, params.Meta.ProgressToken != nil
	return m, nil
}

// quoted repeats a caller's text with a bound.
func quoted(text string) string { return strconv.Quote(clip.Text(text)) }
