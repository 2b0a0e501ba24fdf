package server_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A field of the body that stands in the query is refused: it would be ignored.
func TestFieldsOfTheBodyInTheQuery(t *testing.T) {
	t.Parallel()
	s := start(t)
	for path, body := range map[string]string{
		"/v1/batch?language=de":                        `{"urls": ["` + video + `"]}`,
		"/v1/follows?language=de":                      `{"channel": "@talks"}`,
		"/v1/transcript?language=de":                   `{"url": "` + video + `"}`,
		"/v1/webhooks?language=de&url=https://h.test/": `{"url": "https://hooks.example/"}`,
	} {
		a := s.do(t, http.MethodPost, path, strings.NewReader(body), header("Content-Type", "application/json"))
		require.Equal(t, http.StatusBadRequest, a.StatusCode, "%s: %s", path, a.body)
		assert.Equal(t, "INVALID_REQUEST", a.failure(t)["code"], path)
		assert.Contains(t, a.body, "belongs in the body", path)
	}
	body, contentType := form(t, file("the media"))
	a := s.do(t, http.MethodPost, "/v1/transcript?waitMs=0", bytes.NewReader(body), header("Content-Type", contentType))
	require.Equal(t, http.StatusBadRequest, a.StatusCode, a.body)
	a = s.do(t, http.MethodPost, "/v1/batch?language=de", strings.NewReader("url\n"+video+"\n"), header("Content-Type", "text/csv"))
	require.Equal(t, http.StatusAccepted, a.StatusCode, "a table has its fields in the query: %s", a.body)
}
