package resource_test

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// listing is the list that an account asks for by a path and a query, whose filter is status.
func listing(t testing.TB, owner, path, query string) resource.Listing {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	var q resource.Paging
	var status string
	table := request.Table{Fields: append(q.Fields(500, 50), request.New("status", &status, request.Text(1, 20)))}
	require.NoError(t, table.ReadQuery(query))
	return resource.ListingFor(owner, r, table)
}

// refusesPageToken expects a 400 that names the parameter.
func refusesPageToken(t testing.TB, err error) {
	t.Helper()
	var coded *transcript.Error
	require.ErrorAs(t, err, &coded)
	assert.Equal(t, transcript.InvalidRequest, coded.Code)
	assert.Equal(t, 400, coded.HTTPStatus())
	assert.Equal(t, "pageToken", coded.Details["issues"].([]transcript.Issue)[0].Path)
}

func TestPageTokenLeadsOn(t *testing.T) {
	t.Parallel()
	l := listing(t, "globex", "/v1/batch", "status=failed&maxResults=2")
	type place struct {
		Hits int
		ID   uuid.UUID
	}
	want := place{1 << 40, uuid.MustParse("019321a0-7c11-7c3e-9a55-2f6d1f0c9b11")}
	token := l.Token(want)
	assert.Regexp(t, "^[A-Za-z0-9_-]+$", token)
	var got place
	require.NoError(t, l.After(token, &got))
	assert.Equal(t, want, got)

	got = place{}
	larger := listing(t, "globex", "/v1/batch", "maxResults=500&status=failed")
	require.NoError(t, larger.After(token, &got), "of pages of another size")
	assert.Equal(t, want, got)

	got = place{Hits: 7}
	require.NoError(t, l.After("", &got))
	assert.Equal(t, place{Hits: 7}, got, "without a token nothing is said of a place")
}

func TestPageTokenOfAnotherList(t *testing.T) {
	t.Parallel()
	token := listing(t, "globex", "/v1/batch", "status=failed").Token(20)
	for name, l := range map[string]resource.Listing{
		"of another account": listing(t, "initech", "/v1/batch", "status=failed"),
		"of another path":    listing(t, "globex", "/v1/batch/x", "status=failed"),
		"of another filter":  listing(t, "globex", "/v1/batch", "status=completed"),
		"without a filter":   listing(t, "globex", "/v1/batch", ""),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refusesPageToken(t, l.After(token, new(int)))
		})
	}
}

// Only what this service writes is taken, in the one form in which it writes it.
func TestPageTokenThatIsNone(t *testing.T) {
	t.Parallel()
	l := listing(t, "globex", "/v1/batch", "")
	token := l.Token(20)
	text, err := base64.RawURLEncoding.DecodeString(token)
	require.NoError(t, err)
	require.Contains(t, string(text), `"after":20`)
	with := func(after string) string {
		return base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(text), "20", after, 1)))
	}
	require.NoError(t, l.After(with("20"), new(int)))
	for name, token := range map[string]string{
		"a word":           "next",
		"a number":         "20",
		"not base64":       "ü",
		"padded":           base64.URLEncoding.EncodeToString(append(text, ' ')),
		"a line in it":     token[:8] + "\n" + token[8:],
		"cut off":          token[:len(token)-1],
		"more":             token + "AA",
		"no object":        base64.RawURLEncoding.EncodeToString([]byte(`20`)),
		"null":             base64.RawURLEncoding.EncodeToString([]byte(`null`)),
		"no list":          base64.RawURLEncoding.EncodeToString([]byte(`{"after":20}`)),
		"no place":         with("null"),
		"another type":     with(`"20"`),
		"a fraction":       with("20.5"),
		"beyond all":       with("1e99"),
		"another form":     with("2e1"),
		"a blank":          with(" 20"),
		"two places":       with(`20,"after":20`),
		"an unknown name":  with(`20,"x":1`),
		"in another case":  base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(text), "after", "After", 1))),
		"very deep":        with(strings.Repeat("[", 600)),
		"not UTF-8 within": with("\"\xff\""),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refusesPageToken(t, l.After(token, new(int)))
		})
	}
	refusesPageToken(t, l.After(l.Token("'; drop"), new(uuid.UUID)))
	refusesPageToken(t, l.After(l.Token("{019321a0-7c11-7c3e-9a55-2f6d1f0c9b11}"), new(uuid.UUID)))
}

// Whatever is sent as a page token is either refused by name, or the very token that
// the service writes for the place.
func FuzzPageToken(f *testing.F) {
	l := listing(f, "globex", "/v1/batch", "status=failed")
	for _, token := range []string{"", "x", l.Token(20), l.Token("20"), l.Token(nil), l.Token([]int{20}), listing(f, "globex", "/v1/batch", "").Token(20)} {
		f.Add(token)
	}
	f.Fuzz(func(t *testing.T, token string) {
		place := -1
		if err := l.After(token, &place); err != nil {
			refusesPageToken(t, err)
			return
		}
		if token == "" {
			assert.Equal(t, -1, place)
			return
		}
		assert.Equal(t, l.Token(place), token)
	})
}

// Whoever makes a token up may write into it what no database takes.
func TestPageTokenWithANUL(t *testing.T) {
	t.Parallel()
	l := listing(t, "globex", "/v1/batch", "")
	var got string
	refusesPageToken(t, l.After(l.Token("e\x00n"), &got))
}
