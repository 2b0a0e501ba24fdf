package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
)

func TestExits(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(site.Close)
	exits, err := server.Egress{}.TestExits(t.Context(), site.URL)
	require.NoError(t, err)
	assert.Equal(t, []server.ExitHealth{{Name: "direct", Status: http.StatusOK}}, exits)

	e := server.Egress{
		Proxies: []*url.URL{{Scheme: "http", User: url.UserPassword("me", "secret"), Host: "127.0.0.1:1"}},
		Exits:   []server.Exit{{Name: "rome", Address: "socks5://me:secret@127.0.0.1:1"}},
	}
	exits, err = e.TestExits(t.Context(), "")
	require.NoError(t, err)
	assert.Equal(t, []server.ExitHealth{{Name: "proxy-1", Address: "http://127.0.0.1:1"}, {Name: "rome", Address: "socks5://127.0.0.1:1"}}, exits)
	exits, err = e.TestExits(t.Context(), site.URL)
	require.NoError(t, err)
	for _, exit := range exits {
		require.ErrorContains(t, exit.Err, "connection refused")
		assert.Contains(t, exit.Cure, "start the proxy")
	}
	assert.NotContains(t, fmt.Sprintf("%+v %+v %+v", exits, e, e.Exits), "secret")

	e.Exits[0].Address = "secret"
	_, err = e.TestExits(t.Context(), "")
	var wrong *server.ConfigError
	require.ErrorAs(t, err, &wrong)
	assert.Equal(t, "Egress.Exits", wrong.Member)
	assert.NotContains(t, err.Error(), "secret")
}
