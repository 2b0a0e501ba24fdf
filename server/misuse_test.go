package server_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// These tests use every route badly. What a route takes they read in the document, so
// that one that is new is tried by itself: see walk_test.go for what they have to be told.

// misuse is a route that is used badly.
type misuse struct {
	*service
	rt      server.Route
	op      apiOperation
	file    apiFile
	unknown string // an id of nothing for each wildcard, with slashes between
	rows    bool   // only what gets as far as to the database
	tried   int
}

// Every route is tried on SQLite, and what reaches rows, where the two databases take
// different texts, on PostgreSQL too.
func TestEveryRouteBadlyUsed(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("hundreds of requests, one after the other: make test-all")
	}
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := startIn(t, o, t.TempDir())
		file := readAPIFile(t)
		operations := file.operations()
		tried := 0
		for _, rt := range server.Routes(s.Server.Server) {
			op, documented := operations[rt.Method+" "+rt.Pattern]
			require.True(t, documented, rt.Operation)
			m := &misuse{service: s, rt: rt, op: op, file: file, rows: !strings.HasPrefix(o.Database, "sqlite:")}
			if thing, names := thingOf(t, rt); names {
				m.unknown = thing.unknown
			}
			m.parameters(t)
			m.body(t)
			if !m.rows {
				m.form(t)
				m.path(t)
				m.method(t)
				m.mediaType(t)
			}
			tried += m.tried
		}
		assert.Greater(t, tried, 300)
		assert.NotContains(t, s.log.String(), "a request failed", "nothing is a fault of the service")
	})
}

// sent asks for the route with another query, header or body.
func (m *misuse) sent(t *testing.T, query url.Values, body string, changes ...change) *answer {
	t.Helper()
	return m.sentAs(t, m.rt.Method, pathOf(m.rt, m.unknown), query.Encode(), body, changes...)
}

func (m *misuse) sentAs(t *testing.T, method, path, query, body string, changes ...change) *answer {
	t.Helper()
	m.tried++
	if contentType := asks[m.rt.Operation].contentType; body != "" && contentType != "" {
		changes = append([]change{header("Content-Type", contentType)}, changes...)
	}
	changes = append([]change{func(r *http.Request) { maps.Copy(r.Header, asks[m.rt.Operation].header) }}, changes...)
	a, err := m.send(t, method, path+"?"+query, strings.NewReader(body), changes...)
	require.NoError(t, err, "%s %s?%.200s %.200q", method, path, query, body)
	name := fmt.Sprintf("%s %s?%.200s %.200s: %d %.300s", method, path, query, body, a.StatusCode, a.body)
	assert.Less(t, a.StatusCode, 500, name)
	if a.StatusCode >= 400 {
		assert.Less(t, len(a.body), longestAnswer, name)
	}
	return a
}

// usual is the query of a request that the route takes.
func (m *misuse) usual(t *testing.T) url.Values {
	t.Helper()
	query, err := url.ParseQuery(strings.TrimPrefix(asks[m.rt.Operation].query, "?"))
	require.NoError(t, err)
	return query
}

// parameters tries values in the query and in headers.
func (m *misuse) parameters(t *testing.T) {
	t.Helper()
	body, as := asks[m.rt.Operation].body, []change{}
	if _, csv := m.op.RequestBody.Content["text/csv"]; csv { // in JSON they are properties
		body, as = "url\n"+video+"\n", append(as, func(r *http.Request) { r.Header.Set("Content-Type", "text/csv") })
	}
	if _, file := m.op.RequestBody.Content["audio/*"]; file { // in JSON and in a form they are fields
		body, as = "media", append(as, func(r *http.Request) { r.Header.Set("Content-Type", "audio/mpeg") })
	}
	for _, p := range m.op.Parameters {
		for _, v := range m.file.values(t, p.Schema) {
			if v.text == "" && !v.empty || m.rows && v.fault > 0 {
				continue
			}
			query, changes := m.usual(t), slices.Clone(as)
			switch p.In {
			case "query":
				query.Set(p.Name, v.text)
			case "header":
				if strings.ContainsAny(v.text, "\x00\n") { // which no client can send
					continue
				}
				changes = append(changes, func(r *http.Request) { r.Header.Set(p.Name, v.text) })
			default:
				continue
			}
			m.judge(t, m.sent(t, query, body, changes...), p.Name, fmt.Sprintf("%.100q", v.text), v.fault, http.StatusBadRequest)
		}
		if m.rows {
			continue
		}
		query := m.usual(t)
		switch p.In {
		case "query":
			query[p.Name] = []string{"1", "1"}
			m.judge(t, m.sent(t, query, body, as...), p.Name, "twice", 400, 400)
			m.judge(t, m.sentAs(t, m.rt.Method, pathOf(m.rt, m.unknown), p.Name+"=%ff", body, as...), p.Name, "not UTF-8", 400, 400)
			if query = m.usual(t); p.Required {
				query.Del(p.Name)
				m.judge(t, m.sent(t, query, body, as...), p.Name, "missing", 400, 400)
			}
		case "header":
			fault := 400
			if p.Name != "Idempotency-Key" { // of others every line counts
				fault = -1
			}
			m.judge(t, m.sent(t, m.usual(t), body, append(slices.Clone(as), header(p.Name, "a"), header(p.Name, "b"))...), p.Name, "twice", fault, 400)
			m.sent(t, m.usual(t), body, header(p.Name, "\xff\xfe"))
		}
	}
	if m.rows {
		return
	}
	plain := m.sent(t, m.usual(t), body)
	more := m.usual(t)
	more.Set("unknown", "\x00")
	more["__proto__"] = []string{"1", "2"}
	assert.Equal(t, plain.StatusCode, m.sent(t, more, body).StatusCode, "%s: unknown parameters are ignored: %s", m.rt.Operation, plain.body)
	for _, unreadable := range []string{"a=%zz", "a;b", "%", "=&=&;", strings.Repeat("a=1&", 5000)} {
		m.sentAs(t, m.rt.Method, pathOf(m.rt, m.unknown), unreadable, body)
	}
	for name, value := range map[string]string{
		"Accept": "\xff", "Accept-Encoding": "gzip;q=nonsense,,,*;q=9", "Cookie": "=;;\xff", "User-Agent": "\xff", "X-Request-Id": "\xff", "Origin": "null",
		"X-Forwarded-For": "999.9.9.9, \xff", "Range": "bytes=9-1,-", "Content-Language": "\xff", "If-Modified-Since": "x", "Expect": "", "If-Match": `W/"`,
	} {
		m.sent(t, m.usual(t), body, func(r *http.Request) { r.Header.Set(name, value) })
	}
	m.sent(t, m.usual(t), body, func(r *http.Request) {
		for i := range 2000 {
			r.Header.Set(fmt.Sprintf("X-%d", i), "1")
		}
		r.Header.Set("X-"+strings.Repeat("long", 5000), "1")
	})
}

// judge holds an answer to what is wrong with a value: 0 is nothing, and what is less,
// whatever the route says. A refusal has the status of its place, and names the value.
func (m *misuse) judge(t *testing.T, a *answer, name, what string, fault, status int) {
	t.Helper()
	what = fmt.Sprintf("%s: %s is %s: %d %.300s", m.rt.Operation, name, what, a.StatusCode, a.body)
	var refusal struct {
		Error struct {
			Code    string
			Details struct {
				Issues []struct{ Path, Message string }
			}
		}
	}
	_ = json.Unmarshal([]byte(a.body), &refusal) // what is no refusal has no issues
	named := slices.IndexFunc(refusal.Error.Details.Issues, func(i struct{ Path, Message string }) bool {
		return i.Path == name || strings.HasPrefix(i.Path, name+".")
	})
	switch {
	case fault > 0:
		assert.Equal(t, status, a.StatusCode, what)
		assert.Equal(t, "INVALID_REQUEST", refusal.Error.Code, what)
		assert.GreaterOrEqual(t, named, 0, what)
	case fault == 0 && named >= 0: // it may fit its bounds and yet mean nothing
		assert.NotRegexp(t, "^must (have|be from|be one of|be a|be true)", refusal.Error.Details.Issues[named].Message, what)
	}
}

// body tries values of properties, and bodies that are none.
func (m *misuse) body(t *testing.T) {
	t.Helper()
	form, ok := m.op.RequestBody.Content["application/json"]
	if !ok {
		if len(m.op.RequestBody.Content) == 0 {
			m.needless(t)
		}
		return
	}
	closed := m.file.resolved(form.Schema)
	asJSON := func(r *http.Request) { r.Header.Set("Content-Type", "application/json") }
	for name, property := range closed.Properties {
		beside := m.beside(t, closed, name)
		for _, v := range m.file.values(t, property) {
			if v.json == "" || m.rows && v.fault > 0 {
				continue
			}
			a := m.sent(t, nil, fmt.Sprintf(`{%s"%s":%s}`, beside, name, v.json), asJSON)
			m.judge(t, a, name, fmt.Sprintf("%.100s", v.json), v.fault, v.fault)
		}
		if m.rows {
			continue
		}
		m.judge(t, m.sent(t, nil, fmt.Sprintf(`{%s"%s":1,"%s":1}`, beside, name, name), asJSON), name, "twice", 400, 400)
		m.judge(t, m.sent(t, nil, fmt.Sprintf(`{%s"%s":1}`, beside, strings.ToUpper(name)), asJSON), strings.ToUpper(name), "in another case", 400, 400)
	}
	if m.rows {
		return
	}
	m.judge(t, m.sent(t, nil, `{"unknown":{"a":[1]}}`, asJSON), "unknown", "unknown", 400, 400)
	for _, bad := range []string{
		" ", "null", "[]", `"x"`, "1", "{", "}", "{}{}", "{} x", "{,}", `{"a"}`, `{'a':1}`, "{\"a\":\"\xff\"}", "\xef\xbb\xbf{}", "\x00", `{"a":1e}`, `{"a":01}`,
		strings.Repeat("[", 100_000), strings.Repeat(`{"a":`, 100_000), `{"a":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}",
	} {
		m.judge(t, m.sent(t, nil, bad, asJSON), "body", fmt.Sprintf("%.50q", bad), 400, 400)
	}
	m.sent(t, nil, `{"\u0000":1,"\ud800":1,"":1,"__proto__":{"a":1}}`, asJSON)
}

// form tries the fields of a form, where everything is text.
func (m *misuse) form(t *testing.T) {
	t.Helper()
	of, ok := m.op.RequestBody.Content["multipart/form-data"]
	if !ok {
		return
	}
	send := func(parts ...part) *answer {
		body, contentType := form(t, append(parts, file("media"))...)
		return m.sent(t, nil, string(body), func(r *http.Request) { r.Header.Set("Content-Type", contentType) })
	}
	for name, property := range m.file.resolved(of.Schema).Properties {
		if name == "file" {
			continue
		}
		for _, v := range m.file.values(t, property) {
			if v.text != "" || v.empty {
				m.judge(t, send(field(name, v.text)), name, fmt.Sprintf("%.100q", v.text), v.fault, 422)
			}
		}
		m.judge(t, send(field(name, "\xff")), name, "not UTF-8", 400, 400)
		m.judge(t, send(field(name, "1"), field(name, "1")), name, "twice", 400, 400)
	}
	m.judge(t, send(field("unknown", "1")), "unknown", "unknown", 400, 400)
	for _, bad := range []string{"\x00", "--x", "--x--", "--x\r\n\r\n", "--x\r\n\x00: \xff\r\n\r\n\r\n--x--\r\n", strings.Repeat("--x\r\n\r\n\r\n", 5000)} {
		a := m.sent(t, nil, bad, func(r *http.Request) { r.Header.Set("Content-Type", "multipart/form-data; boundary=x") })
		assert.GreaterOrEqual(t, a.StatusCode, 400, "%.50q", bad)
	}
}

// beside is what stands beside a property where there is a choice between them, or what
// the route usually takes.
func (m *misuse) beside(t *testing.T, closed apiSchema, name string) string {
	t.Helper()
	var usual map[string]json.RawMessage
	if body := asks[m.rt.Operation].body; body != "" {
		require.NoError(t, json.Unmarshal([]byte(body), &usual))
	}
	delete(usual, name)
	for _, set := range closed.OneOf {
		if !slices.Contains(set.Required, name) {
			continue
		}
		usual = map[string]json.RawMessage{}
		for _, other := range set.Required {
			if enum := m.file.resolved(closed.Properties[other]).Enum; other != name && len(enum) > 0 {
				usual[other] = json.RawMessage(`"` + enum[0] + `"`)
			} else if other != name {
				usual[other] = json.RawMessage(`"a"`)
			}
		}
	}
	var b strings.Builder
	for other, v := range usual {
		fmt.Fprintf(&b, `"%s":%s,`, other, v)
	}
	return b.String()
}

// needless sends a body where none is taken: a POST refuses it, the others let it be.
func (m *misuse) needless(t *testing.T) {
	t.Helper()
	if m.rows {
		return
	}
	plain := m.sent(t, m.usual(t), "")
	if m.rt.Method != http.MethodPost { // the document knows no such request
		defer m.loosely()()
	}
	for _, body := range []string{`{"a":1}`, "\x00\xff", strings.Repeat("[", 10_000)} {
		a := m.sent(t, m.usual(t), body, header("Content-Type", "application/json"))
		if m.rt.Method == http.MethodPost {
			assert.Equal(t, http.StatusBadRequest, a.StatusCode, "%s: %s", m.rt.Operation, a.body)
		} else {
			assert.Equal(t, plain.StatusCode, a.StatusCode, "%s: %s", m.rt.Operation, a.body)
		}
	}
}

// loosely sends what follows, until strictly is called, without a look at the document:
// what it does not know, or takes for another path.
func (m *misuse) loosely() (strictly func()) {
	with := m.http
	m.http = &http.Client{Transport: new(http.Transport)}
	return func() {
		m.http.CloseIdleConnections()
		m.http = with
	}
}

// path tries ids that are none: they name nothing.
func (m *misuse) path(t *testing.T) {
	t.Helper()
	if m.unknown == "" {
		return
	}
	defer m.loosely()()
	parts := strings.Split(m.unknown, "/")
	for i := range parts {
		for _, bad := range []string{
			"x", "-", "%00", "a%00b", "%ff", "%2e%2e", "..%2f..%2fetc%2fpasswd", "%20", "💥", "019321a07c117c3e9a552f6d1f0c9b11", "%7b019321a0-7c11-7c3e-9a55-2f6d1f0c9b11%7d",
			strings.Repeat("a", 513), strings.Repeat("%c3%bc", 600), "'%20OR%20'1'='1", "null", "*", "%0a", "a%2fb", "%25",
		} {
			with := slices.Clone(parts)
			with[i] = bad
			a := m.sentAs(t, m.rt.Method, pathOf(m.rt, strings.Join(with, "/")), m.usual(t).Encode(), asks[m.rt.Operation].body)
			assert.Equal(t, http.StatusNotFound, a.StatusCode, "%s of %.100q: %s", m.rt.Operation, bad, a.body)
		}
	}
}

// method tries those that the path does not take.
func (m *misuse) method(t *testing.T) {
	t.Helper()
	var taken []string
	for _, rt := range server.Routes(m.Server.Server) {
		if rt.Pattern != m.rt.Pattern {
			continue
		}
		taken = append(taken, rt.Method)
		if rt.Method == http.MethodGet && !slices.Contains([]string{"streamTranscriptJob"}, rt.Operation) {
			taken = append(taken, http.MethodHead)
		}
	}
	slices.Sort(taken)
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "BREW"} {
		if slices.Contains(taken, method) {
			continue
		}
		a := m.sentAs(t, method, pathOf(m.rt, m.unknown), "", "")
		assert.Equal(t, http.StatusMethodNotAllowed, a.StatusCode, "%s %s", method, m.rt.Pattern)
		assert.Equal(t, strings.Join(taken, ", "), a.Header.Get("Allow"), "%s %s", method, m.rt.Pattern)
		if method != http.MethodHead {
			assert.Equal(t, "method_not_allowed", a.slug(t))
		}
	}
}

// mediaType tries types and encodings that the route does not take.
func (m *misuse) mediaType(t *testing.T) {
	t.Helper()
	if m.rt.Method != http.MethodPost {
		return
	}
	as := func(value string) change { return func(r *http.Request) { r.Header["Content-Type"] = []string{value} } }
	for _, wrong := range []change{
		as("text/plain"), as("application/xml"), as("application/jsonx"), as("application/json; charset"), as("application/x-www-form-urlencoded"), as(";"), as("\xff"),
		func(r *http.Request) { r.Header.Del("Content-Type") },
	} {
		a := m.sent(t, m.usual(t), `{"url":"`+video+`"}`, wrong)
		assert.Equal(t, http.StatusUnsupportedMediaType, a.StatusCode, "%s: %s", m.rt.Operation, a.body)
		assert.NotEmpty(t, a.object(t)["message"], m.rt.Operation)
		a = m.sent(t, m.usual(t), `{"url":"`+video+`"}`, wrong, header("Idempotency-Key", "\u00fc"))
		assert.Equal(t, http.StatusUnsupportedMediaType, a.StatusCode, "%s: the type is judged before the key: %s", m.rt.Operation, a.body)
	}
	a := m.sent(t, m.usual(t), "{}", header("Content-Type", "application/json"), header("Content-Encoding", "gzip"))
	assert.Equal(t, http.StatusUnsupportedMediaType, a.StatusCode, "%s: %s", m.rt.Operation, a.body)
	assert.Equal(t, "identity", a.Header.Get("Accept-Encoding"), m.rt.Operation)
}
