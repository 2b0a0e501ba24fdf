package server_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/pace"
)

// A running server takes over what its guard denies, and nothing of a change that is wrong.
func TestChange(t *testing.T) {
	t.Parallel()
	var host engine.Host
	s, err := server.New(t.Context(), server.Config{Store: openStore(t), Engine: func(h engine.Host) (engine.Engine, error) {
		host = h
		return engine.Engine{}, nil
	}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Stop(context.Background())) })
	const link = "http://provider.example/"
	require.NoError(t, host.Judge(t.Context(), "job", link))
	require.NoError(t, s.Change(server.Config{Egress: server.Egress{Deny: []string{"provider.example:80"}}}))
	require.ErrorContains(t, host.Judge(t.Context(), "job", link), "the deployment's own address")
	for member, c := range map[string]server.Config{
		"Egress.Exits":          {Egress: server.Egress{Exits: []server.Exit{{Name: "a b"}}}},
		"Egress.Deny":           {Egress: server.Egress{Deny: []string{"nowhere"}}},
		"Pace":                  {Pace: pace.Config{Rate: pace.Rate{PerMinute: -1}}},
		"RecognizeBlockedAfter": {RecognizeBlockedAfter: -1},
	} {
		var wrong *server.ConfigError
		require.ErrorAs(t, s.Change(c), &wrong, member)
		assert.Equal(t, member, wrong.Member)
		assert.Error(t, host.Judge(t.Context(), "job", link), member)
	}
}
