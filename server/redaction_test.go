package server_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/server"
)

// TestNoKeyInTheLog: wherever a caller puts a key, the log shows no more of it than
// its prefix.
func TestNoKeyInTheLog(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"text", "json"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			lines := new(logBuffer)
			s := start(t, func(c *server.Config) {
				c.Log = slog.New(slog.NewTextHandler(lines, &slog.HandlerOptions{Level: slog.LevelDebug}))
				if format == "json" {
					c.Log = slog.New(slog.NewJSONHandler(lines, &slog.HandlerOptions{Level: slog.LevelDebug}))
				}
			})
			misplaceKey(t, s)
			log := lines.String()
			assert.NotContains(t, log, s.Key[12:])
			assert.NotContains(t, log, s.Key[:14])
			requests := 0
			for line := range strings.Lines(log) {
				assert.Less(t, len(line), 20_000)
				if strings.Contains(line, "msg=request") || strings.Contains(line, `"msg":"request"`) {
					requests++
				}
				if format == "json" {
					assert.True(t, json.Valid([]byte(line)), line)
				}
			}
			assert.GreaterOrEqual(t, requests, 20, "a line for each request")
		})
	}
}

// misplaceKey sends the key of a service where it does not belong.
func misplaceKey(t *testing.T, s *service) {
	t.Helper()
	s.upload(t, "a file with "+s.Key)
	s.postForm(t, []part{field("language", s.Key), file("a file")})
	s.postForm(t, []part{field(s.Key, "x"), file("a file")})
	for _, name := range []string{
		"X-Request-Id", "Idempotency-Key", "Cookie", "User-Agent", "Referer", "Accept", "Accept-Language", "If-None-Match", "Last-Event-Id",
		"X-Api-Key", "Authorization", "Proxy-Authorization", "X-Forwarded-For", "Content-Digest",
	} {
		for _, value := range []string{s.Key, "Bearer " + s.Key, s.Key + "," + s.Key, `W/"` + s.Key + `"`} {
			s.get(t, unknownJob, header(name, value))
			s.upload(t, "a file", header(name, value))
		}
	}
	for _, contentType := range []string{s.Key, "application/" + s.Key, "multipart/form-data; boundary=" + s.Key, "application/json; charset=" + s.Key} {
		s.postJSON(t, "{}", func(r *http.Request) { r.Header.Set("Content-Type", contentType) })
	}
	for _, body := range []string{
		s.Key, `"` + s.Key, `{"` + s.Key + `": 1}`, `{"url": "` + s.Key + `"}`,
		`{"url": "https://` + s.Key + `/x"}`, `{"url": "https://u:` + s.Key + `@video.example/watch?v=abcdefghijk"}`,
		`{"url": "https://video.example/watch?v=` + s.Key + `"}`, `{"waitMs": "` + s.Key + `"}`, `{"languages": ["` + s.Key + `"]}`,
		`{"a": "` + strings.Repeat(s.Key+" ", 1000) + `"}`,
	} {
		s.postJSON(t, body)
	}
	for before := range 110 { // what is repeated of it may end in the middle of the key
		cut := strings.Repeat("X", before) + s.Key
		misplaced := file("a file")
		misplaced.declared = "text/" + cut
		s.postForm(t, []part{misplaced})
		s.get(t, unknownJob, func(r *http.Request) { r.Method = cut })
	}
	for _, path := range []string{"/" + s.Key, "/v1/" + s.Key, jobPath(s.Key), jobPath(s.Key) + "/events", unknownJob + "?" + s.Key, unknownJob + "?a=" + s.Key} {
		s.get(t, path)
	}
}
