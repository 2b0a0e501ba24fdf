package server_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/server"
)

// What stands beside the API bears with slow clients for as long as the API does.
func TestPatient(t *testing.T) {
	t.Parallel()
	// ask sends a body to a handler on a connection that has had an answer before.
	ask := func(t *testing.T, body io.Reader, h http.HandlerFunc) *deadlines {
		t.Helper()
		d := &deadlines{ResponseRecorder: httptest.NewRecorder(), write: time.Now()}
		if s, ok := body.(*sender); ok {
			s.conn = d
		}
		server.Patient(h).ServeHTTP(d, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", body))
		return d
	}
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ask(t, &sender{piece: 1, pause: time.Minute, left: 1000}, func(_ http.ResponseWriter, r *http.Request) {
			_, err := io.ReadAll(r.Body)
			assert.EqualError(t, err, "request_timeout")
		})
		assert.Equal(t, 30*time.Second, time.Since(began), "a byte a minute")

		began = time.Now()
		d := ask(t, &sender{piece: 8 << 10, pause: time.Second, left: 8 << 20}, func(w http.ResponseWriter, r *http.Request) {
			n, err := io.Copy(io.Discard, r.Body)
			assert.NoError(t, err)
			assert.EqualValues(t, 8<<20, n)
			_, err = io.WriteString(w, "some")
			assert.NoError(t, err)
			<-time.After(time.Minute)
			_, err = io.WriteString(w, "more")
			assert.NoError(t, err)
		})
		assert.Greater(t, time.Since(began), 1000*time.Second, "an upload that moves")
		assert.Zero(t, d.read)
		assert.Equal(t, time.Minute, time.Until(d.write), "from the answer's beginning on")

		d = ask(t, strings.NewReader("name=ada"), func(w http.ResponseWriter, _ *http.Request) {
			<-time.After(time.Minute)
			w.WriteHeader(http.StatusForbidden)
		})
		assert.Equal(t, 2*time.Minute, time.Until(d.write))
		assert.Equal(t, "close", d.Header().Get("Connection"), "nobody reads the rest")
		assert.Equal(t, 500*time.Millisecond, time.Until(d.read))

		d = ask(t, nil, func(w http.ResponseWriter, _ *http.Request) {
			assert.NoError(t, http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Hour)))
			_, err := io.WriteString(w, "a stream")
			assert.NoError(t, err)
		})
		assert.Equal(t, time.Hour, time.Until(d.write), "the handler's own")
		assert.Zero(t, d.read, "there is no body")
		d = ask(t, nil, func(http.ResponseWriter, *http.Request) {})
		assert.Zero(t, d.write, "none of the answer before")
	})
}
