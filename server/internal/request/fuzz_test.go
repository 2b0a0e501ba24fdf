package request_test

import (
	"encoding/json"
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
		if err := table.ReadJSON(body); err != nil {
			status, paths, messages := refused(t, err)
			assert.Contains(t, []int{400, 422}, status)
			assert.LessOrEqual(t, len(paths), 20)
			if isObject(body) {
				assert.NotContains(t, messages, "is not valid JSON")
				assert.NotContains(t, messages, "goes on after the JSON object")
			}
			for i := range paths {
				assert.LessOrEqual(t, len(paths[i]), 101*4)
				assert.LessOrEqual(t, len(messages[i]), 1000)
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
