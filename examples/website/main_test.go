package main

import (
	"context"
	"log/slog"
	"net/http"
	"path/filepath"
	"testing"

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
