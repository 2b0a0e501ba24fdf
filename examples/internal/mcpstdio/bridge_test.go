package mcpstdio_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/internal/mcpstdio"
)

// talk is a client on a bridge to a handler.
type talk struct {
	t     *testing.T
	in    *io.PipeWriter
	out   *bufio.Reader
	ended chan error
}

func newTalk(t *testing.T, handler http.HandlerFunc) *talk {
	t.Helper()
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	return overTransport(t, &mcpstdio.Bridge{URL: web.URL, Transport: http.DefaultTransport})
}

func overTransport(t *testing.T, b *mcpstdio.Bridge) *talk {
	t.Helper()
	in, writer := io.Pipe()
	reader, out := io.Pipe()
	c := &talk{t: t, in: writer, out: bufio.NewReader(reader), ended: make(chan error, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(func() {
		cancel()
		_ = reader.Close() // an answer that the test has not read
	})
	go func() { c.ended <- b.Run(ctx, in, out) }()
	return c
}

func (c *talk) say(line string) {
	c.t.Helper()
	_, err := io.WriteString(c.in, line+"\n")
	require.NoError(c.t, err)
}

func (c *talk) hear() string {
	c.t.Helper()
	line, err := c.out.ReadString('\n')
	require.NoError(c.t, err)
	return strings.TrimSuffix(line, "\n")
}

// idOf returns the id of the message in a request.
func idOf(t *testing.T, r *http.Request) string {
	t.Helper()
	var m struct{ ID json.RawMessage }
	if !assert.NoError(t, json.NewDecoder(r.Body).Decode(&m)) {
		return "0"
	}
	return string(m.ID)
}

func answerJSON(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body) // the client may be gone
}

// The server gets each message as it is, with the headers that repeat parts of the message.
func TestHeaders(t *testing.T) {
	t.Parallel()
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`
	for _, tc := range []struct{ message, version, method, name string }{
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_job",` + meta + `}}`, "2026-07-28", "tools/call", "get_job"},
		{`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"t1",` + meta + `}}`, "2026-07-28", "tasks/get", "t1"},
		{`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b",` + meta + `}}`, "2026-07-28", "resources/read", "a:b"},
		{`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"ü",` + meta + `}}`, "2026-07-28", "prompts/get", "=?base64?w7w=?="},
		{`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"a\r\nb",` + meta + `}}`, "2026-07-28", "tasks/get", "=?base64?YQ0KYg==?="},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "", "tools/list", ""},
	} {
		c := newTalk(t, func(w http.ResponseWriter, r *http.Request) {
			assert.Equal(t, tc.version, r.Header.Get("Mcp-Protocol-Version"))
			assert.Equal(t, tc.method, r.Header.Get("Mcp-Method"))
			assert.Equal(t, tc.name, r.Header.Get("Mcp-Name"))
			body, err := io.ReadAll(r.Body)
			assert.NoError(t, err)
			assert.Equal(t, tc.message, string(body))
			answerJSON(w, http.StatusOK, `{"jsonrpc":"2.0","id":1,"result":{}}`)
		})
		c.say(tc.message)
		assert.JSONEq(t, `{"jsonrpc":"2.0","id":1,"result":{}}`, c.hear())
	}
}

// The messages after "initialize" have the version that was agreed on.
func TestAgreedVersion(t *testing.T) {
	t.Parallel()
	c := newTalk(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Method") == "initialize" {
			answerJSON(w, http.StatusOK, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}}`)
			return
		}
		answerJSON(w, http.StatusOK, fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"result":{"version":%q}}`, r.Header.Get("Mcp-Protocol-Version")))
	})
	c.say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`)
	assert.Contains(t, c.hear(), "2025-06-18")
	c.say(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":2,"result":{"version":"2025-06-18"}}`, c.hear())
}

// Notifications of the server come before the answer, each on a line.
func TestStream(t *testing.T) {
	t.Parallel()
	c := newTalk(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, ": a comment\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"method\":\"notifications/progress\"}\n\ndata:{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{}}\n\n")
	})
	c.say(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"x"}}`)
	assert.JSONEq(t, `{"jsonrpc":"2.0","method":"notifications/progress"}`, c.hear())
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":"a","result":{}}`, c.hear())
}

// A request is sent again, with the same key, as long as the service ends or puts it off.
func TestServiceEnds(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	keys := make(chan string, 4)
	c := newTalk(t, func(w http.ResponseWriter, r *http.Request) {
		keys <- r.Header.Get("Idempotency-Key")
		switch calls.Add(1) {
		case 1:
			panic(http.ErrAbortHandler)
		case 2:
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n") // and no answer
		case 3:
			answerJSON(w, http.StatusServiceUnavailable, `{"error":{"code":"SERVICE_UNAVAILABLE"}}`)
		default:
			answerJSON(w, http.StatusOK, `{"jsonrpc":"2.0","id":7,"result":{}}`)
		}
	})
	c.say(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"create_batch"}}`)
	assert.Contains(t, c.hear(), "notifications/progress")
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":7,"result":{}}`, c.hear())
	first := <-keys
	assert.NotEmpty(t, first)
	for range 3 {
		assert.Equal(t, first, <-keys)
	}
}

type broken struct{ err error }

func (b broken) RoundTrip(*http.Request) (*http.Response, error) { return nil, b.err }

// Faults are answers that the client can show. A notification gets none.
func TestFaults(t *testing.T) {
	t.Parallel()
	c := overTransport(t, &mcpstdio.Bridge{URL: "http://localhost/mcp", Transport: broken{mcpstdio.Final{Err: errors.New("the disk is full: make room")}}})
	c.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	c.say(`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"the disk is full: make room"}}`, c.hear())
	c.say(`no JSON`)
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"The line is no JSON: write one message a line."}}`, c.hear())

	c = newTalk(t, func(w http.ResponseWriter, r *http.Request) {
		switch idOf(t, r) {
		case "4": // an answer of the protocol with another status
			answerJSON(w, http.StatusBadRequest, `{"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"unknown"}}`)
		case "5":
			answerJSON(w, http.StatusUnauthorized, `{"error":"invalid_credential"}`)
		default:
			answerJSON(w, http.StatusOK, `[1`)
		}
	})
	c.say(`{"jsonrpc":"2.0","id":4,"method":"tasks/get"}`)
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"unknown"}}`, c.hear())
	c.say(`{"jsonrpc":"2.0","id":5,"method":"tools/list"}`)
	assert.Contains(t, c.hear(), `status 401: {\"error\":\"invalid_credential\"}`)
	c.say(`{"jsonrpc":"2.0","id":6,"method":"tools/list"}`)
	assert.Contains(t, c.hear(), `"code":-32603`)
}

// A request that the client cancels ends on HTTP too, and is not answered.
func TestCancel(t *testing.T) {
	t.Parallel()
	waits, gone := make(chan struct{}), make(chan struct{})
	c := newTalk(t, func(w http.ResponseWriter, r *http.Request) {
		if idOf(t, r) == `"long"` {
			close(waits)
			<-r.Context().Done()
			close(gone)
			return
		}
		answerJSON(w, http.StatusOK, `{"jsonrpc":"2.0","id":2,"result":{}}`)
	})
	c.say(`{"jsonrpc":"2.0","id":"long","method":"tools/call"}`)
	<-waits
	c.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"long"}}`)
	<-gone
	c.say(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":2,"result":{}}`, c.hear())
}

// Requests wait side by side.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	second := make(chan struct{})
	c := newTalk(t, func(w http.ResponseWriter, r *http.Request) {
		id := idOf(t, r)
		if id == "1" {
			<-second
		} else {
			defer close(second)
		}
		answerJSON(w, http.StatusOK, `{"jsonrpc":"2.0","id":`+id+`,"result":{}}`)
	})
	c.say(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	c.say(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	assert.ElementsMatch(t, []string{`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":2,"result":{}}`}, []string{c.hear(), c.hear()})
}

// The bridge ends with its input, also if a request has no answer by then.
func TestInputEnds(t *testing.T) {
	t.Parallel()
	waits := make(chan struct{})
	c := newTalk(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // so that the end of the connection is seen
		close(waits)
		<-r.Context().Done()
	})
	c.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`)
	<-waits
	require.NoError(t, c.in.Close())
	require.NoError(t, <-c.ended)
}

// The last answers are written after the end of the input.
func TestLastAnswer(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		<-ended
		answerJSON(w, http.StatusOK, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	}))
	defer web.Close()
	c := overTransport(t, &mcpstdio.Bridge{URL: web.URL, Transport: http.DefaultTransport, LastAnswers: time.Minute})
	c.say(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	require.NoError(t, c.in.Close())
	close(ended)
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":1,"result":{}}`, c.hear())
	require.NoError(t, <-c.ended)
}

func TestLongMessage(t *testing.T) {
	t.Parallel()
	c := newTalk(t, func(http.ResponseWriter, *http.Request) { t.Error("it was sent") })
	go func() { _, _ = io.WriteString(c.in, strings.Repeat("a", 5<<20)) }() // ends with the bridge
	select {
	case err := <-c.ended:
		require.ErrorContains(t, err, "more than 4194304 bytes: shorten it")
	case <-time.After(time.Minute):
		t.Fatal("it still reads")
	}
	_ = c.in.Close() // nothing reads it
}
