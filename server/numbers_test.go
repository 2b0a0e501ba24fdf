package server_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A whole number that is out of bounds is a value that does not fit (422),
// however large; what is no whole number cannot be read (400) where JSON says so.
func TestWholeNumbers(t *testing.T) {
	t.Parallel()
	s := start(t)
	for value, want := range map[string]int{
		"0": 200, "1e4": 200, "10000.0": 200, "-0": 200,
		"10001": 422, "-1": 422, "9007199254740993": 422, "9223372036854775807": 422, "9223372036854775808": 422,
		"-9223372036854775809": 422, "1e308": 422, "1e400": 422, "-1e400": 422,
		"1.5": 400, `"1"`: 400, "null": 400, "true": 400, "[1]": 400,
	} {
		if want == http.StatusOK { // whether the wait is long enough is another matter
			a := s.postJSON(t, `{"url":"`+video+`","format":"x","waitMs":`+value+`}`)
			assert.Equal(t, []string{"format"}, a.issuePaths(t), value)
			continue
		}
		a := s.postJSON(t, `{"url":"`+video+`","waitMs":`+value+`}`)
		assert.Equal(t, want, a.StatusCode, "%s: %s", value, a.body)
		assert.Equal(t, []string{"waitMs"}, a.issuePaths(t), value)
	}
	for _, value := range []string{"10001", "-1", "9223372036854775808", "99999999999999999999999", "1.5", "1e4", ""} {
		a := s.postForm(t, []part{field("waitMs", value), file("a")})
		assert.Equal(t, http.StatusUnprocessableEntity, a.StatusCode, "%s: %s", value, a.body)
		assert.Equal(t, []string{"waitMs"}, a.issuePaths(t), value)
	}
}

// JSON and forms are UTF-8.
func TestBodiesThatAreNotUTF8(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, body := range []string{
		"{\"url\":\"https://video.example/watch?v=dQw4w9WgXcQ&x=\xff\"}", "{\"url\xc3\":1}", "{\"url\":\"\xed\xa0\x80\"}",
	} {
		a := s.postJSON(t, body)
		assert.Equal(t, http.StatusBadRequest, a.StatusCode, "%q: %s", body, a.body)
		assert.Equal(t, []string{"body"}, a.issuePaths(t))
		assert.Contains(t, a.body, "UTF-8")
	}
	a := s.postForm(t, []part{field("language", "en\xff"), file("a")})
	assert.Equal(t, http.StatusBadRequest, a.StatusCode, a.body)
	assert.Equal(t, []string{"language"}, a.issuePaths(t))
	s.nothingLeft(t)
}
