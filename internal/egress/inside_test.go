package egress_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/egress"
)

// A pass that reaches a site inside this process reaches nothing else, whatever it asks for.
func TestInside(t *testing.T) {
	t.Parallel()
	outside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the network was asked") }))
	t.Cleanup(outside.Close)
	guard, err := egress.New(egress.Config{Allow: []string{outside.Listener.Addr().String()}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, guard.Close()) })
	pass, err := guard.Open(t.Context(), "suite", 0)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, pass.Close()) })
	asked := make(chan string, 3)
	pass.Inside(func(_ context.Context, address string) (net.Conn, error) {
		asked <- address
		near, far := net.Pipe()
		go func() {
			defer func() { _ = far.Close() }() // the answer has been read
			_, _ = far.Read(make([]byte, 4096))
			_, _ = io.WriteString(far, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\ninside")
		}()
		return near, nil
	})
	var proxy string
	for _, variable := range pass.Env() {
		if value, ok := strings.CutPrefix(variable, "http_proxy="); ok {
			proxy = value
		}
	}
	at, err := url.Parse(proxy)
	require.NoError(t, err)
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(at), DisableKeepAlives: true}}
	for _, link := range []string{outside.URL, "http://www.example.com/"} {
		res, err := client.Get(link)
		require.NoError(t, err)
		text, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		assert.Equal(t, "inside", string(text))
	}
	assert.Equal(t, outside.Listener.Addr().String(), <-asked)
	assert.Equal(t, "www.example.com:80", <-asked)
}
