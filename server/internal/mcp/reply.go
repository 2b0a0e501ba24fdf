package mcp

import (
	"bytes"
	"errors"
	"mime"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// reply receives the answer of the SDK to one request. Events are sent at once. Any other
// answer is kept until send sends it.
type reply struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer // of an answer that is kept
}

// WriteHeader keeps the status of an answer.
func (a *reply) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

// Write takes an event, or a part of an answer that is kept.
func (a *reply) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if !a.events() {
		return a.body.Write(b)
	}
	return a.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController find the writer below.
func (a *reply) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *reply) events() bool { return a.media() == "text/event-stream" }

func (a *reply) media() string {
	media, _, err := mime.ParseMediaType(a.Header().Get("Content-Type"))
	if err != nil {
		return ""
	}
	return media
}

// send sends an answer that was kept. A refusal of the SDK that is not JSON gets the form of
// the API.
func (a *reply) send(r *http.Request) error {
	switch {
	case a.status == 0: // the client has disconnected
		return r.Context().Err()
	case a.events():
		return nil
	case a.status >= http.StatusBadRequest && a.media() != edge.JSONType:
		a.Header().Del("Content-Type")
		return request.Invalid(a.status, transcript.Issue{Path: "request", Message: outer(string(bytes.TrimSpace(a.body.Bytes())))})
	case a.body.Len() == 0:
		a.ResponseWriter.WriteHeader(a.status)
		return nil
	}
	a.Header().Del("Cache-Control") // the edge has its own header
	edge.Respond(a.ResponseWriter, edge.JSONType, a.status, outerError(a.body.Bytes()))
	return nil
}

// unreadable says what is wrong with a message that the SDK cannot read.
const unreadable = "A member of the message cannot be read: its type or its depth is wrong."

// outer is a message of the SDK without the text of its JSON reader.
func outer(message string) string {
	if strings.Contains(message, "json: ") || strings.Contains(message, "unmarshal") {
		return unreadable
	}
	return message
}

// outerError is an answer in JSON whose error, if the answer is one, is an outer message.
func outerError(body []byte) []byte {
	if !bytes.Contains(body, []byte(`"error":{`)) {
		return body
	}
	decoded, err := jsonrpc.DecodeMessage(body)
	if err != nil {
		return body // the SDK can read what it has written
	}
	res, ok := decoded.(*jsonrpc.Response)
	wrong := new(jsonrpc.Error)
	if !ok || !errors.As(res.Error, &wrong) || outer(wrong.Message) == wrong.Message {
		return body
	}
	wrong.Message = unreadable
	if told, err := jsonrpc.EncodeMessage(res); err == nil {
		return told
	}
	return body
}
