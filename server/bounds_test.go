package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/apitest"
)

// What an answer and a line of the log may take when they refuse something long.
const (
	longestAnswer = 8 << 10 // bytes, with its headers
	longestLine   = 8 << 10 // bytes
)

// documented is an operation of the document, with the names of what it takes.
type documented struct {
	method, path string
	in           map[string][]string // names of parameters by place
	properties   []string            // of the JSON body
}

func (s *service) operations(t *testing.T) (all []documented) {
	t.Helper()
	type schema struct {
		Ref        string                     `json:"$ref"`
		Properties map[string]json.RawMessage `json:"properties"`
	}
	var doc struct {
		Paths map[string]map[string]struct {
			Parameters  []struct{ Name, In string }
			RequestBody struct {
				Content map[string]struct{ Schema schema }
			}
		}
		Components struct{ Schemas map[string]schema }
	}
	whole, err := apitest.Inlined([]byte(s.get(t, "/docs/openapi.json").body))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(whole, &doc))
	for path, methods := range doc.Paths {
		for method, op := range methods {
			o := documented{method: strings.ToUpper(method), path: path, in: map[string][]string{}}
			for _, p := range op.Parameters {
				o.in[p.In] = append(o.in[p.In], p.Name)
			}
			body := op.RequestBody.Content["application/json"].Schema
			for name := range doc.Components.Schemas[body.Ref[strings.LastIndex(body.Ref, "/")+1:]].Properties {
				o.properties = append(o.properties, name)
			}
			all = append(all, o)
		}
	}
	return all
}

// at is the documented's path with a job's id in it, and a query.
func (o documented) at(query string) string {
	return wildcard.ReplaceAllLiteralString(o.path, unknownJob[strings.LastIndex(unknownJob, "/")+1:]) + query
}

// attempt is a request with something long in it.
type attempt struct {
	name, method, path, body string
	changes                  []change
}

// attempts are requests with something long. The edge reads its parts of a request for all
// operations, so only the edge ones try those.
func (o documented) attempts(t *testing.T, edge bool) (all []attempt) {
	long := strings.Repeat("long", 5000)
	add := func(name, path, body string, changes ...change) {
		if body != "" {
			changes = append([]change{header("Content-Type", "application/json")}, changes...)
		}
		all = append(all, attempt{fmt.Sprintf("%s %s: %s", o.method, o.path, name), o.method, path, body, changes})
	}
	add("path", wildcard.ReplaceAllLiteralString(o.path, long), "")
	add("below", o.at("/"+long), "")
	add("name in the query", o.at("?"+long+"=1"), "")
	add("query that cannot be read", o.at("?a=%zz"+long), "")
	for _, name := range append(o.in["query"], "unknown") {
		add("query "+name, o.at("?"+name+"="+long), "")
		add("query "+name+" twice", o.at("?"+name+"="+long+"&"+name+"="+long), "")
		add("link in "+name, o.at("?"+name+"=https://"+long+".example/"), "")
	}
	headers := o.in["header"]
	if edge {
		headers = append(headers, "X-Request-Id", "Authorization", "X-API-Key", "User-Agent", "Content-Type",
			"Content-Encoding", "Accept", "Cookie", "Last-Event-ID", "If-None-Match", "Idempotency-Key", "Origin", "Unknown")
	}
	for _, name := range headers {
		set := func(r *http.Request) { r.Header[http.CanonicalHeaderKey(name)] = []string{long} }
		add("header "+name, o.at(""), "{}", set)
	}
	add("method", o.at(""), "")
	all[len(all)-1].method = long[:2000]
	if o.method != http.MethodPost {
		return all
	}
	for _, name := range o.properties {
		add("value of "+name, o.at(""), fmt.Sprintf(`{"url":"https://video.example/","%s":"%s"}`, name, strings.Repeat("long,", 10_000)))
		add("just a link in "+name, o.at(""), fmt.Sprintf(`{"%s":"https://%s/"}`, name, strings.Repeat("host.", 400)))
		add("list in "+name, o.at(""), fmt.Sprintf(`{"url":"%s","%s":"asr-x-%s"}`, video, name, strings.Repeat("longlong-", 20)+"x"))
		add("bad entries in "+name, o.at(""), fmt.Sprintf(`{"url":"%s","%s":"%s!"}`, video, name, strings.Repeat("ü", 190)))
	}
	if !edge {
		return all
	}
	add("name in the body", o.at(""), `{"`+strings.Repeat("long", 200_000)+`":1}`)
	add("names in the body", o.at(""), madeUp(70_000))
	add("no JSON", o.at(""), strings.Repeat("long", 200_000))
	add("more than a body may have", o.at(""), strings.Repeat("long", 500_000))
	for name, parts := range map[string][]part{
		"name of a part":        {field(strings.Repeat("long", 3000), "1")},
		"larger name of a part": {field(strings.Repeat("long", 9<<20/4), "1")},
		"name of a file":        {{name: "file", filename: strings.Repeat("long", 3000), content: "a"}},
		"type of a file":        {{name: "file", declared: "text/" + strings.Repeat("long", 3000), content: "a"}},
		"digest of a file":      {{name: "file", digest: "sha-256=:" + strings.Repeat("long", 3000) + ":", content: "a"}},
		"field":                 {field("language", strings.Repeat("long", 1000)), field("format", strings.Repeat("long", 1000))},
		"larger field":          {field("language", strings.Repeat("long", 300_000))},
		"many fields":           slices.Repeat([]part{field("a", "b")}, 1000),
	} {
		body, contentType := form(t, parts...)
		add(name, o.at(""), string(body), func(r *http.Request) { r.Header.Set("Content-Type", contentType) })
	}
	line := "--x\r\nContent-Disposition: form-data; name=\"file\"\r\n" + strings.Repeat("long", 3000) + "\r\n\r\na\r\n--x--\r\n"
	add("line in a part's header", o.at(""), line, func(r *http.Request) { r.Header.Set("Content-Type", "multipart/form-data; boundary=x") })
	add("boundary", o.at(""), line, func(r *http.Request) { r.Header.Set("Content-Type", "multipart/form-data; boundary="+long) })
	return all
}

// madeUp is an object with many names that nobody knows.
func madeUp(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"n%06d":1`, i)
	}
	return "{" + b.String()[1:] + "}"
}

// Nothing that a caller sends is repeated without bound, wherever it is put: not
// in an answer, not in the log.
func TestNothingLongIsRepeated(t *testing.T) {
	t.Parallel()
	s := start(t)
	tried := 0
	for i, o := range s.operations(t) {
		for _, a := range o.attempts(t, !testing.Short() || i%8 == 0) {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", strings.NewReader(a.body))
			var err error
			r.Method, r.RequestURI = a.method, a.path
			r.URL, err = r.URL.Parse(a.path)
			require.NoError(t, err, a.name)
			r.Header.Set("Authorization", "Bearer "+s.Key)
			for _, change := range a.changes {
				change(r)
			}
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, r)
			tried++
			if w.Code < http.StatusBadRequest {
				continue
			}
			var answer bytes.Buffer
			require.NoError(t, w.Result().Write(&answer))
			assert.LessOrEqual(t, answer.Len(), longestAnswer, "%s: %d: %.200s", a.name, w.Code, w.Body)
			assert.NotContains(t, answer.String(), strings.Repeat("long", 26), a.name)
		}
	}
	assert.Greater(t, tried, 150)
	for line := range strings.Lines(s.log.String()) {
		assert.LessOrEqual(t, len(line), longestLine, "%.200s", line)
	}
}

// Of a form whose part has an endless header no more than that is read.
func TestHeaderOfAPartIsBounded(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, head := range map[string]string{
		"a name":      "--x\r\nContent-Disposition: form-data; name=\"",
		"many lines":  "--x\r\nA: b\r\n" + strings.Repeat("C: d\r\n", 10_000),
		"before it":   strings.Repeat("preamble\r\n", 10_000),
		"a long line": "preamble",
	} {
		body := &counted{r: io.MultiReader(strings.NewReader(head), io.LimitReader(zeros{}, 9<<20))}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/transcript", body)
		r.Header.Set("Authorization", "Bearer "+s.Key)
		r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		assert.Equal(t, http.StatusBadRequest, w.Code, "%s: %s", name, w.Body)
		assert.LessOrEqual(t, body.n, 32<<10, name)
		assert.Less(t, w.Body.Len(), 1000, name)
	}
	// Just as large as may be, and the file after it.
	body, contentType := form(t, part{name: "file", filename: strings.Repeat("n", 16_000), content: strings.Repeat("a", 1<<20)}, field("waitMs", "10000"))
	a := s.do(t, http.MethodPost, "/v1/transcript", bytes.NewReader(body), header("Content-Type", contentType))
	assert.Equal(t, http.StatusOK, a.StatusCode, a.body)
}

// counted counts what is read.
type counted struct {
	r io.Reader
	n int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}

func TestIssuesEnd(t *testing.T) {
	t.Parallel()
	s := start(t)
	a := s.postJSON(t, madeUp(70_000))
	require.Equal(t, http.StatusBadRequest, a.StatusCode)
	assert.Len(t, a.issuePaths(t), 20)
	a = s.postJSON(t, `{"`+strings.Repeat("n", 101)+`":1,"waitMs":-1}`)
	assert.Equal(t, strings.Repeat("n", 100)+"…", a.issuePaths(t)[0])
	assert.Less(t, len(a.body), 1000)
}
