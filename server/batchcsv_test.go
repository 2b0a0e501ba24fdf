package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
)

func (s *service) postCSV(t testing.TB, query, body string, changes ...change) *answer {
	t.Helper()
	changes = append([]change{header("Content-Type", "text/csv; charset=utf-8")}, changes...)
	return s.do(t, http.MethodPost, "/v1/batch"+query, strings.NewReader(body), changes...)
}

func TestBatchOfACSV(t *testing.T) {
	t.Parallel()
	s := start(t)
	defer s.Engine.HoldCaptions()()
	key := header("Idempotency-Key", "a table")
	body := "\ufefftitle,url\r\nOne," + strings.Join(videos(0, 3), "\r\nMore,") + "\r\n"
	a := s.postCSV(t, "?language=de,asr&maxItems=2&unknown=1", body, key)
	require.Equal(t, http.StatusAccepted, a.StatusCode, "%s", a.body)
	id := a.object(t)["batch"].(map[string]any)["id"].(string)
	p := s.batchPage(t, id, "")
	assert.Equal(t, "de,asr", p.Batch.Lang)
	assert.Equal(t, batch.Links, p.Batch.Mode)
	require.Len(t, p.Items, 2)
	want := videos(0, 2)
	assert.Equal(t, want, []string{p.Items[0].ExternalID, p.Items[1].ExternalID})

	again := s.postCSV(t, "?language=de,asr&maxItems=2", body, key)
	assert.Equal(t, "true", again.Header.Get("Idempotency-Replayed"), again.body)
	assert.Equal(t, id, again.object(t)["batch"].(map[string]any)["id"])
	assert.Equal(t, http.StatusConflict, s.postCSV(t, "?language=de,asr", body, key).StatusCode)
}

func TestCSVRequestsRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	large := "url,note\n" + video + ",\"" + strings.Repeat("x", 8<<20) + "\"\n"
	for _, c := range []struct {
		query, body string
		status      int
		code        string
		paths       []string
	}{
		{"", "", 400, "CSV_PARSE_ERROR", nil},
		{"", "link\nx\n", 400, "CSV_PARSE_ERROR", nil},
		{"", large, 400, "INVALID_REQUEST", []string{"body"}},
		{"", "url\n", 422, "INVALID_REQUEST", []string{"url"}},
		{"", "url\n" + strings.Repeat("x\n", 5001), 422, "INVALID_REQUEST", []string{"url"}},
		{"", "url\nhello\n", 422, "INVALID_VIDEO", nil},
		{"", "url\n" + strings.Join(videos(0, 501), "\n"), 422, "BATCH_LIMIT_EXCEEDED", nil},
		{"?maxItems=0", "url\n" + video, 400, "INVALID_REQUEST", []string{"maxItems"}},
		{"?maxItems=501", "url\n" + video, 400, "INVALID_REQUEST", []string{"maxItems"}},
		{"?maxItems=", "url\n" + video, 400, "INVALID_REQUEST", []string{"maxItems"}},
		{"?maxItems=1&maxItems=1", "url\n" + video, 400, "INVALID_REQUEST", []string{"maxItems"}},
		{"?language=,", "url\n" + video, 400, "INVALID_REQUEST", []string{"language"}},
	} {
		a := s.postCSV(t, c.query, c.body)
		shown := c.query + " " + c.body[:min(len(c.body), 50)]
		require.Equal(t, c.status, a.StatusCode, "%s: %s", shown, a.body)
		assert.Equal(t, c.code, a.failure(t)["code"], shown)
		assert.Equal(t, c.paths, a.issuePaths(t), shown)
	}
	full := large[:8<<20-2] + "\"\n"
	assert.Equal(t, http.StatusAccepted, s.postCSV(t, "", full).StatusCode, "of exactly 8 MiB")
	assert.Len(t, s.batches(t, ""), 1)
}

// A table is read as UTF-8, so one that its sender declares in another character set is
// refused for its type, before anything else of the request is judged.
func TestCSVInAnotherCharset(t *testing.T) {
	t.Parallel()
	s := start(t)
	defer s.Engine.HoldCaptions()()
	send := func(contentType, body string, changes ...change) *answer {
		as := func(r *http.Request) { r.Header["Content-Type"] = []string{contentType} }
		return s.do(t, http.MethodPost, "/v1/batch", strings.NewReader(body), append(changes, as)...)
	}
	for _, charset := range []string{"iso-8859-1", "windows-1252", "utf-16", "UTF-16LE", "utf-7", "shift_jis", `""`, "utf-8x"} {
		a := send("text/csv; charset="+charset, "url\n"+video, header("Idempotency-Key", "\u00fc"))
		require.Equal(t, http.StatusUnsupportedMediaType, a.StatusCode, "%s: %s", charset, a.body)
		assert.Equal(t, "unsupported_media_type", a.slug(t))
		assert.Contains(t, a.object(t)["message"], "in UTF-8")
	}
	for _, contentType := range []string{"text/csv", "text/csv; header=present", "text/csv; charset=utf-8", `TEXT/CSV; Charset="UTF-8"`, "text/csv;charset=US-ASCII", "text/csv; charset=utf8"} {
		a := send(contentType, "url\n"+video)
		assert.Equal(t, http.StatusAccepted, a.StatusCode, "%s: %s", contentType, a.body)
	}
	assert.Equal(t, "CSV_PARSE_ERROR", send("text/csv; charset=iso-8859-1", "").failure(t)["code"], "no body has no character set")
}
