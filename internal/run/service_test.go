//go:build unix

package run_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/server/engine"
)

func TestServiceOfOneRun(t *testing.T) {
	t.Parallel()
	s, requests := newSite(t, hello)
	u, err := url.Parse(s.URL)
	require.NoError(t, err)
	programs, err := run.New(run.Config{Dir: t.TempDir(), Guard: newGuard(t, egress.Config{})})
	require.NoError(t, err)

	var at string
	c := curl("-w", "at %{url}")
	c.Network.Service = &engine.Service{URL: u, Args: func(address string) []string { at = address; return []string{"--noproxy", "*", address + "/ping"} }}
	exit, err := programs.Run(t.Context(), c)
	require.NoError(t, err)
	assert.Equal(t, "helloat "+s.URL+"/ping", string(exit.Stdout), "what the program says does not hold the password")

	// The same address serves no later run, and no run reaches the service itself: by the
	// proxy, or around it.
	before := requests.Load()
	for _, args := range [][]string{{at + "/ping"}, {"--noproxy", "*", at + "/ping"}, {s.URL}} {
		exit, err = programs.Run(t.Context(), curl(append(args, "-f")...))
		require.NoError(t, err)
		assert.NotZero(t, exit.Code, args)
	}
	if programs.Landlock() == nil {
		exit, err = programs.Run(t.Context(), curl("--noproxy", "*", s.URL))
		require.NoError(t, err)
		assert.NotZero(t, exit.Code)
	}
	assert.Equal(t, before, requests.Load())
}
