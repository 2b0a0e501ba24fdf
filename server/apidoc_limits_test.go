package server_test

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// API.md's table of limits says at which byte or character a text becomes too long: a text
// of that length is not refused for its length, and one more is.
func TestAPIDocLimitsOfTexts(t *testing.T) {
	t.Parallel()
	s := start(t)
	postJSON := func(beside, property string) func(string) *answer {
		return func(text string) *answer { return s.postJSON(t, `{`+beside+`"`+property+`":"`+text+`"}`) }
	}
	ask := map[string]struct {
		send    func(text string) *answer
		refusal string // of a text that is too long
	}{
		"a form field": {func(text string) *answer {
			return s.postForm(t, []part{field("language", text), file("a")})
		}, "language is longer than 8192 bytes"},
		"`url`":             {postJSON("", "url"), "url must have 1 to 2048 characters"},
		"`externalId`":      {postJSON(`"platform":"photo_site",`, "externalId"), "externalId must have 1 to 512 characters"},
		"`language`":        {postJSON(`"url":"x",`, "language"), "language must have 1 to 200 characters"},
		"`Idempotency-Key`": {func(text string) *answer { return s.postJSON(t, "{}", header("Idempotency-Key", text)) }, "Idempotency-Key must be 1 to 255 printable"},
		"JSON body": {func(text string) *answer {
			return s.postJSON(t, text[:len(text)-2]+"{}") // white space, and an object
		}, "body is larger than 1048576 bytes"},
	}
	rows, found := readAPIDoc(t).at(t, 2)["Limits"].table("What")
	require.True(t, found)
	for _, row := range rows {
		c, asked := ask[row[0]]
		if !asked {
			continue
		}
		delete(ask, row[0])
		most := boundOf(t, row[1])
		fill := "x"
		if row[0] == "JSON body" {
			fill = " "
		}
		assert.NotContains(t, c.send(strings.Repeat(fill, most)).body, c.refusal, row[0])
		a := c.send(strings.Repeat(fill, most+1))
		assert.Contains(t, a.body, c.refusal, row[0])
		assert.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, a.StatusCode, row[0])
	}
	assert.Empty(t, ask, "rows that the table of limits does not have")
}

// boundOf is the number of bytes or characters that a bound of the table names, such as
// "1 MiB" or "1–2048 characters".
func boundOf(t *testing.T, bound string) int {
	t.Helper()
	m := regexp.MustCompile(`(\d+) (MiB|bytes|characters|printable)`).FindStringSubmatch(bound)
	require.NotNil(t, m, bound)
	n, err := strconv.Atoi(m[1])
	require.NoError(t, err)
	if m[2] == "MiB" {
		n <<= 20
	}
	return n
}
