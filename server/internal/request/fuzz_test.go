package request_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// isObject reports whether a body is one JSON object.
func isObject(body []byte) bool {
	var members map[string]json.RawMessage
	return utf8.Valid(body) && json.Unmarshal(body, &members) == nil && members != nil
}

// Whatever the body is, reading it ends in a request or in 1 to 20 short issues;
// and the canonical form of a request is a body that is read as the same request.
func FuzzReadJSON(f *testing.F) {
	for _, body := range []string{
		``, `{}`, `{"url":"x"}`, `{"url":"x","url":1}`, `{"platform":"upload"}`, `{"links":["a",null,1],"page":1e400}`,
		`{"links":["a"],"ids":["` + id + `"],"language":"asr-de, EN","format":"text","times":false,"loud":true,"waitMs":2e3,"page":-0}`,
		`{"url":"\ud800"}`, `[[[`, "{\"\xff\":1}", `{"url":"\\","}" , "page" : [{"]":"}"}]}`, `{"url":"x"]}`, `{null:1}`, `{"url":"x" "y"}`, `{"a":1,"b":2,"c":{"d":[{}]}} `,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		table := new(order).table()
		if err := table.ReadJSON(body); !readOrRefused(t, err, 400, 422) {
			if _, _, messages := refused(t, err); isObject(body) {
				assert.NotContains(t, messages, "is not valid JSON")
				assert.NotContains(t, messages, "goes on after the JSON object")
			}
			return
		}
		require.True(t, isObject(body))
		canonical, err := json.Marshal(table.Canonical())
		require.NoError(t, err)
		again := new(order).table()
		require.NoError(t, again.ReadJSON(canonical), "%s", canonical)
		assert.Equal(t, table.Canonical(), again.Canonical())
	})
}

// Whatever a query is, reading it ends in a request or in a few short issues, all of them
// 400; and the canonical form of a request is a query that is read as the same request.
func FuzzReadQuery(f *testing.F) {
	for _, query := range []string{
		"", "url=x", "url=x&page=-0", "links=a&links=%ff", "%zz", "a;b", "url=%00&url", "ids=" + id + "&ids=&loud=true&times=false&waitMs=9999999999999999999",
		"platform=upload&id=&language=asr-de,%20EN&format=text", strings.Repeat("links=a&", 9),
	} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		table := new(order).table()
		err := table.ReadQuery(query)
		if !readOrRefused(t, err, 400) {
			return
		}
		again := new(order).table()
		require.NoError(t, again.ReadQuery(queryOf(table.Canonical())))
		assert.Equal(t, table.Canonical(), again.Canonical())
	})
}

// queryOf is the query of a request in its canonical form.
func queryOf(canonical map[string]any) string {
	query := url.Values{}
	for name, value := range canonical {
		entries, many := value.([]any)
		if !many {
			entries = []any{value}
		}
		for _, entry := range entries {
			query.Add(name, fmt.Sprint(entry))
		}
	}
	return query.Encode()
}

// Whatever the fields of a form are, in whatever order, reading them ends in a request or
// in a few short issues.
func FuzzForm(f *testing.F) {
	f.Add("url", "x", "page", "1")
	f.Add("links", "a", "links", "b")
	f.Add("url", "x", "url", "x")
	f.Add("language", "asr-de, EN", "loud", "TRUE")
	f.Add("", "\x00", "ids", "\xff")
	f.Fuzz(func(t *testing.T, name, value, other, more string) {
		var o order
		readOrRefused(t, readForm(&o, name, value, other, more, "times", "true"), 400, 422)
	})
}

// readOrRefused reports whether a request was read. One that was not is told so in a few
// short issues, with one of the statuses.
func readOrRefused(t *testing.T, err error, statuses ...int) (ok bool) {
	t.Helper()
	if err == nil {
		return true
	}
	status, paths, messages := refused(t, err)
	assert.Contains(t, statuses, status)
	assert.LessOrEqual(t, len(paths), 20)
	for i := range paths {
		assert.LessOrEqual(t, len(paths[i]), 101*4)
		assert.LessOrEqual(t, len(messages[i]), 1000)
	}
	return false
}
