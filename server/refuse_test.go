package server_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// What stands around the handlers refuses as they do.
func TestRefusalsOfTheEmbedder(t *testing.T) {
	t.Parallel()
	s := start(t)
	slowly := transcript.Errorf(transcript.RateLimited, "Slowly.")
	slowly.RetryAfter = 7
	broke := transcript.Errorf(transcript.InsufficientCredits, "Your account has no credits left.").With("needed", 3)
	for name, c := range map[string]struct {
		err    error
		status int
		body   string
		header [2]string
	}{
		"coded":   {broke, 402, `{"error":{"code":"INSUFFICIENT_CREDITS","message":"Your account has no credits left.","requestId":"mine","details":{"needed":3}}}`, [2]string{}},
		"429":     {slowly, 429, `{"error":"rate_limited","requestId":"mine"}`, [2]string{"Retry-After", "7"}},
		"401":     {server.ErrNoCredential, 401, `{"error":"unauthorized","requestId":"mine"}`, [2]string{"WWW-Authenticate", "Bearer"}},
		"a fault": {errors.New("the disk of the site is full"), 500, `{"error":"internal_error","requestId":"mine"}`, [2]string{}},
		"nothing": {nil, 500, `{"error":"internal_error","requestId":"mine"}`, [2]string{}},
	} {
		for way, wrap := range map[string]func(http.Handler) http.Handler{
			"outside": func(h http.Handler) http.Handler { return h },
			"inside":  s.Authenticate, // the request has an id already
		} {
			w := httptest.NewRecorder()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/pages/talks", nil)
			r.Header.Set("Authorization", "Bearer "+s.Key)
			r.Header.Set("X-Request-Id", "mine")
			wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				s.Refuse(w, r, c.err)
			})).ServeHTTP(w, r)
			what := name + ", " + way
			assert.Equal(t, c.status, w.Code, what)
			assert.JSONEq(t, c.body, w.Body.String(), what)
			assert.Equal(t, "mine", w.Header().Get("X-Request-Id"), what)
			assert.Equal(t, "application/json", w.Header().Get("Content-Type"), what)
			if c.header[0] != "" {
				assert.Equal(t, c.header[1], w.Header().Get(c.header[0]), what)
			}
		}
	}
	assert.Contains(t, s.log.String(), "the disk of the site is full", "the operator learns what callers do not")
}
