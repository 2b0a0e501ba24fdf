package apitest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/apitest"
)

const document = `{
  "openapi": "3.1.0", "info": {"title": "T", "version": "1"},
  "paths": {
    "/thing/order": {
      "post": {
        "parameters": [{"name": "page", "in": "query", "required": true, "schema": {"type": "integer"}}],
        "security": [{"key": []}],
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}}},
        "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}}}
      }
    },
    "/thing/{id}": {
      "post": {
        "parameters": [
          {"$ref": "#/components/parameters/id"},
          {"name": "full", "in": "query", "schema": {"type": ["null", "boolean"]}},
          {"name": "Idempotency-Key", "in": "header", "schema": {"type": "string", "maxLength": 3}}
        ],
        "requestBody": {"content": {
          "application/json": {"schema": {"$ref": "#/components/schemas/Order"}},
          "multipart/form-data": {"schema": {"$ref": "#/components/schemas/Order"}}
        }},
        "responses": {
          "200": {
            "headers": {"Retry-After": {"$ref": "#/components/headers/Retry-After"}, "X-Request-Id": {"schema": {"type": "string"}}},
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}
          },
          "202": {"description": "nothing"},
          "404": {"x-codes": ["X", "Y"], "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Envelope"}}}},
          "429": {"$ref": "#/components/responses/Busy"}
        }
      },
      "get": {
        "responses": {"200": {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
        "x-events": {
          "job.snapshot": {"$ref": "#/components/schemas/Thing"},
          "job.progress": {"$ref": "#/components/schemas/Thing"},
          "job.completed": {"$ref": "#/components/schemas/Thing"},
          "stream.closing": {"type": "object"}
        }
      }
    }
  },
  "components": {
    "parameters": {"id": {"name": "id", "in": "path", "required": true, "schema": {"type": "string", "format": "uuid"}}},
    "responses": {"Busy": {"x-codes": ["x"], "headers": {"Www-Authenticate": {"$ref": "#/components/headers/Challenge"}}, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/FlatError"}}}}},
    "headers": {"Challenge": {"schema": {"type": "string"}, "required": true}, "Retry-After": {"schema": {"type": "integer", "minimum": 1}}},
    "schemas": {
      "Order": {"type": "object", "properties": {"count": {"type": "integer", "minimum": 1}, "name": {"type": "string"}}, "required": ["count"]},
      "Thing": {"type": "object", "properties": {"count": {"type": ["integer", "null"]}}, "required": ["count"]},
      "Envelope": {"type": "object", "properties": {"error": {"type": "object", "required": ["code"],
        "properties": {"code": {"type": "string"}, "requestId": {"type": "string"}}}}, "required": ["error"]},
      "FlatError": {"type": "object", "properties": {"error": {"type": "string"}, "requestId": {"type": "string"}}, "required": ["error"]}
    }
  }
}`

const (
	challenge = "Www-Authenticate: Bearer"

	thing = "/thing/019321a0-7c11-7c3e-9a55-2f6d1f0c9b11"
	order = "/thing/order?page=2"
	form  = "--b\r\nContent-Disposition: form-data; name=\"count\"\r\n\r\n"
)

// exchange is a request and what it is answered with.
type exchange struct {
	method, path   string // POST and thing where empty
	sent, sentType string // application/json where empty
	key            string
	status         int // 200 where 0
	answer         string
	answerType     string // application/json where empty
	header         string // "name: value"
	credential     string // of the request: "name: value"
	id             string // X-Request-Id, "r1" where empty
	fault          string // part of what is reported; empty: nothing is
}

func exchanges() map[string]exchange {
	events := func(lines ...string) string { return "retry: 3000\n: hello\n\n" + strings.Join(lines, "\n") + "\n\n" }
	stream := func(answer, fault string) exchange {
		return exchange{method: http.MethodGet, answer: answer, answerType: "text/event-stream", fault: fault}
	}
	return map[string]exchange{
		"fits":                {answer: `{"count":1}`, sent: `{"count":1}`},
		"null fits":           {answer: `{"count":null}`, header: "Retry-After: 2"},
		"wrong type":          {answer: `{"count":"1"}`, fault: "/count"},
		"missing":             {answer: `{}`, fault: "count"},
		"too much":            {answer: `{"count":1,"secret":2}`, fault: "secret"},
		"not JSON":            {answer: `count`, fault: "not JSON"},
		"other type":          {answer: `{"count":1}`, answerType: "text/html", fault: "text/html"},
		"unknown status":      {answer: `{"count":1}`, status: http.StatusCreated, fault: "status"},
		"body unasked":        {answer: `{"count":1}`, status: http.StatusAccepted, fault: "there is a body"},
		"header's value":      {answer: `{"count":1}`, header: "Retry-After: soon", fault: "Retry-After"},
		"header unasked":      {answer: `{"count":1}`, header: "Location: /", fault: "Location"},
		"no request id":       {answer: `{"count":1}`, id: "-", fault: "X-Request-Id"},
		"envelope":            {status: http.StatusNotFound, answer: `{"error":{"code":"X","requestId":"r1"}}`},
		"envelope, flat":      {status: http.StatusNotFound, answer: `{"error":"x","requestId":"r1"}`, fault: "/error"},
		"envelope's id":       {status: http.StatusNotFound, answer: `{"error":{"code":"X","requestId":"r2"}}`, fault: "r2"},
		"flat":                {status: http.StatusTooManyRequests, header: challenge, answer: `{"error":"x","requestId":"r1"}`},
		"flat, envelope":      {status: http.StatusTooManyRequests, header: challenge, answer: `{"error":{"code":"X"}}`, fault: "/error"},
		"flat without id":     {status: http.StatusTooManyRequests, header: challenge, answer: `{"error":"x"}`, fault: "names the request"},
		"flat, other slug":    {status: http.StatusTooManyRequests, header: challenge, answer: `{"error":"y","requestId":"r1"}`, fault: "the code y"},
		"missing header":      {status: http.StatusTooManyRequests, answer: `{"error":"x","requestId":"r1"}`, fault: "Www-Authenticate: is missing"},
		"envelope's code":     {status: http.StatusNotFound, answer: `{"error":{"code":"Z","requestId":"r1"}}`, fault: "the code Z"},
		"unknown path":        {path: "/other", status: http.StatusNotFound, answer: `{"error":"x","requestId":"r1"}`},
		"unknown path, 200":   {path: "/other", answer: `{"count":1}`, fault: "not documented"},
		"unknown path's form": {path: "/other", status: http.StatusNotFound, answer: `{"error":{"code":"X"}}`, fault: "/error"},
		"unknown method":      {method: http.MethodPut, status: http.StatusMethodNotAllowed, answer: `{"error":"x","requestId":"r1"}`},

		"request":          {sent: `{"count":0}`, answer: `{"count":1}`, fault: "the request: the body"},
		"request refused":  {sent: `{"count":0}`, status: http.StatusNotFound, answer: `{"error":{"code":"X","requestId":"r1"}}`},
		"request's type":   {sent: `count`, sentType: "text/plain", answer: `{"count":1}`, fault: "text/plain"},
		"query":            {path: thing + "?full=yes", answer: `{"count":1}`, fault: "full"},
		"query fits":       {path: thing + "?full=true", answer: `{"count":1}`},
		"query, not JSON":  {path: thing + "?full=1", answer: `{"count":1}`, fault: "full"},
		"order":            {path: order, sent: `{"count":1}`, credential: "X-Api-Key: k", answer: `{"count":1}`},
		"session":          {path: order, sent: `{"count":1}`, credential: "Cookie: s=1", answer: `{"count":1}`},
		"no credential":    {path: order, sent: `{"count":1}`, answer: `{"count":1}`, fault: "no credential"},
		"no body":          {path: order, credential: "Authorization: Bearer k", answer: `{"count":1}`, fault: "no body"},
		"no page":          {path: "/thing/order", sent: `{"count":1}`, credential: "Cookie: s=1", answer: `{"count":1}`, fault: "the parameter page is missing"},
		"half a page":      {path: "/thing/order?page=1.5", sent: `{"count":1}`, credential: "Cookie: s=1", answer: `{"count":1}`, fault: "the parameter page"},
		"path":             {path: "/thing/7", answer: `{"count":1}`, fault: "the parameter id"},
		"key":              {key: "1234", answer: `{"count":1}`, fault: "Idempotency-Key"},
		"form":             {sent: form + "1\r\n--b--\r\n", sentType: "multipart/form-data; boundary=b", answer: `{"count":1}`},
		"form's value":     {sent: form + "x\r\n--b--\r\n", sentType: "multipart/form-data; boundary=b", answer: `{"count":1}`, fault: "/count"},
		"form's field":     {sent: strings.Replace(form, "count", "n", 1) + "1\r\n--b--\r\n", sentType: "multipart/form-data; boundary=b", answer: `{"count":1}`, fault: "field n"},
		"form that is cut": {sent: form, sentType: "multipart/form-data; boundary=b", answer: `{"count":1}`, fault: "EOF"},

		"events": stream(events("event: job.snapshot", `data: {"count":1}`, "", ": ping", "", "event: job.progress", "id: 2", `data: {"count":1}`, "",
			"event: job.progress", `data: {"count":1}`, "", "event: job.completed", "id: 3", `data: {"count":1}`), ""),
		"closing":         stream(events("event: stream.closing", "data: {}"), ""),
		"no retry":        stream("event: stream.closing\ndata: {}\n\n", "retry"),
		"event's data":    stream(events("event: job.snapshot", `data: {"count":"1"}`), "/count"),
		"event's name":    stream(events("event: job.other", "data: {}"), "job.other"),
		"two lines":       stream(events("event: stream.closing", "data: {", "data: }"), "2 lines"),
		"unknown field":   stream(events("evt: x"), "evt"),
		"snapshot's id":   stream(events("event: job.snapshot", "id: 1", `data: {"count":1}`), "has an id"),
		"end without id":  stream(events("event: job.completed", `data: {"count":1}`), "has no id"),
		"id again":        stream(events("event: job.progress", "id: 2", `data: {"count":1}`, "", "event: job.progress", "id: 2", `data: {"count":1}`), "after 2"),
		"after the end":   stream(events("event: stream.closing", "data: {}", "", "event: stream.closing", "data: {}"), "goes on"),
		"event, not JSON": stream(events("event: stream.closing", "data: x"), "not JSON"),
	}
}

func TestTransport(t *testing.T) {
	t.Parallel()
	d, err := apitest.Parse([]byte(document))
	require.NoError(t, err)
	for name, e := range exchanges() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var reported []string
			client := &http.Client{Transport: d.Transport(fake(e), func(err error) { reported = append(reported, err.Error()) })}
			resp, err := client.Do(request(t, e))
			require.NoError(t, err)
			body, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			assert.Equal(t, e.answer, string(body), "what is checked arrives all the same")
			if e.fault == "" {
				assert.Empty(t, reported)
				return
			}
			require.Len(t, reported, 1)
			assert.Contains(t, reported[0], e.fault)
		})
	}
}

func request(t *testing.T, e exchange) *http.Request {
	t.Helper()
	if e.method == "" {
		e.method = http.MethodPost
	}
	if e.path == "" {
		e.path = thing
	}
	r := httptest.NewRequestWithContext(t.Context(), e.method, "http://service.example"+e.path, strings.NewReader(e.sent))
	r.RequestURI = "" // this is a client's request
	r.Header.Set("Content-Type", "application/json")
	if e.sentType != "" {
		r.Header.Set("Content-Type", e.sentType)
	}
	if name, value, ok := strings.Cut(e.credential, ": "); ok {
		r.Header.Set(name, value)
	}
	if e.key != "" {
		r.Header.Set("Idempotency-Key", e.key)
	}
	return r
}

// fake answers with what the exchange says.
func fake(e exchange) roundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if r.Body != nil {
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				return nil, err
			}
		}
		w := httptest.NewRecorder()
		w.Header().Set("Content-Type", "application/json")
		if e.answerType != "" {
			w.Header().Set("Content-Type", e.answerType)
		}
		if e.id != "-" {
			w.Header().Set("X-Request-Id", "r1")
		}
		if name, value, ok := strings.Cut(e.header, ": "); ok {
			w.Header().Set(name, value)
		}
		if e.status != 0 {
			w.WriteHeader(e.status)
		}
		_, err := io.WriteString(w, e.answer)
		resp := w.Result()
		resp.Request = r
		return resp, err
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestParse(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{`{`, `{}`, `[]`} {
		_, err := apitest.Parse([]byte(bad))
		assert.Error(t, err, bad)
	}
}

func TestBasePath(t *testing.T) {
	t.Parallel()
	d, err := apitest.Parse([]byte(strings.Replace(document, `"paths"`, `"servers": [{"url": "/media"}], "paths"`, 1)))
	require.NoError(t, err)
	for path, faults := range map[string]int{
		"/media" + thing: 0,
		"/media/other":   1, // an unknown path of the API, with a 200
		"/mediathek":     0, // a page of the site around it
		thing:            0,
	} {
		reported := 0
		e := exchange{path: path, answer: `{"count":1}`}
		client := &http.Client{Transport: d.Transport(fake(e), func(error) { reported++ })}
		resp, err := client.Do(request(t, e))
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, faults, reported, path)
	}
}
