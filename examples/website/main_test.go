package main

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// startWebsite runs the website, with flags and a database of its own, until the test ends.
func startWebsite(t *testing.T, flags ...string) *website {
	t.Helper()
	dir := t.TempDir()
	c := &serveCommand{}
	parser, err := kong.New(c, vars())
	require.NoError(t, err)
	_, err = parser.Parse(append([]string{"--listen=127.0.0.1:0", "--db=sqlite:" + filepath.Join(dir, "website.db"), "--blobs=" + filepath.Join(dir, "blobs")}, flags...))
	require.NoError(t, err)
	s, err := startSite(t.Context(), c, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.stop()) })
	return s
}

func TestPagesAreThere(t *testing.T) {
	t.Parallel()
	base := startWebsite(t, "--single-user").address()
	for path, status := range map[string]int{"": http.StatusOK, "nothing": http.StatusNotFound, "healthz": http.StatusOK, "v1/usage": http.StatusUnauthorized, "web/v1/usage": http.StatusOK} {
		req, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodGet, base+path, nil)
		require.NoError(t, err)
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		assert.Equal(t, status, res.StatusCode, path)
	}
}

// connection notes the deadlines of a request.
type connection struct {
	*httptest.ResponseRecorder
	read, write []time.Time
}

func (c *connection) SetReadDeadline(t time.Time) error {
	c.read = append(c.read, t)
	return nil
}

func (c *connection) SetWriteDeadline(t time.Time) error {
	c.write = append(c.write, t)
	return nil
}

// Nobody holds a connection for long by sending a form slowly, or by not reading the answer.
func TestSlowClientsAreGivenUp(t *testing.T) {
	t.Parallel()
	s := startWebsite(t)
	for _, path := range []string{"/sign-in", "/transcripts", "/batches", "/nothing", "/web/v1/transcript", "/v1/transcript"} {
		for _, origin := range []string{"", "https://evil.example"} { // which is refused before anybody reads
			c := &connection{ResponseRecorder: httptest.NewRecorder()}
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, s.address()[:len(s.address())-1]+path, strings.NewReader("name=ada"))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("Origin", origin)
			s.web.Handler.ServeHTTP(c, r)
			require.NotEmpty(t, c.read, path)
			assert.WithinDuration(t, time.Now().Add(30*time.Second), c.read[0], 30*time.Second, path)
			require.NotEmpty(t, c.write, path)
			assert.WithinDuration(t, time.Now().Add(2*time.Minute), c.write[len(c.write)-1], 2*time.Minute, path)
		}
	}
}
