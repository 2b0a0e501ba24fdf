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

// startWebsite runs the website until the test ends.
func startWebsite(t *testing.T) (base string) {
	t.Helper()
	dir := t.TempDir()
	c := &serveCommand{}
	parser, err := kong.New(c, vars())
	require.NoError(t, err)
	_, err = parser.Parse([]string{"--listen=127.0.0.1:0", "--db=sqlite:" + filepath.Join(dir, "website.db"), "--blobs=" + filepath.Join(dir, "blobs"), "--single-user"})
	require.NoError(t, err)
	s, err := startSite(t.Context(), c, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.stop()) })
	return s.address()
}

func TestPagesAreThere(t *testing.T) {
	t.Parallel()
	base := startWebsite(t)
	for path, status := range map[string]int{"": http.StatusOK, "nothing": http.StatusNotFound, "healthz": http.StatusOK, "v1/usage": http.StatusUnauthorized, "web/v1/usage": http.StatusOK} {
		req, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodGet, base+path, nil)
		require.NoError(t, err)
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		assert.Equal(t, status, res.StatusCode, path)
	}
}
