package egress_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/transcriptkit/transcriptkit/internal/egress"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// proxyOf is the address that a pass tells programs of.
func proxyOf(t *testing.T, p *egress.Pass) *url.URL {
	t.Helper()
	for _, v := range p.Env() {
		if value, ok := strings.CutPrefix(v, "http_proxy="); ok {
			u, err := url.Parse(value)
			require.NoError(t, err)
			return u
		}
	}
	t.Fatal("no http_proxy")
	return nil
}

func TestSmoke(t *testing.T) {
	t.Parallel()
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "hello") })
	plain, secure := httptest.NewServer(handler), httptest.NewTLSServer(handler)
	defer plain.Close()
	defer secure.Close()
	g, err := egress.New(egress.Config{Allow: []string{plain.Listener.Addr().String(), secure.Listener.Addr().String()}})
	require.NoError(t, err)
	defer func() { assert.NoError(t, g.Close()) }()
	p, err := g.Open(t.Context(), "job-1", 0)
	require.NoError(t, err)
	tr := secure.Client().Transport.(*http.Transport).Clone()
	tr.Proxy = http.ProxyURL(proxyOf(t, p))
	defer tr.CloseIdleConnections()
	for _, c := range []*http.Client{{Transport: tr}} {
		for _, u := range []string{plain.URL, secure.URL} {
			res, err := c.Get(u)
			require.NoError(t, err)
			body, err := io.ReadAll(res.Body)
			require.NoError(t, err)
			require.NoError(t, res.Body.Close())
			assert.Equal(t, "hello", string(body))
		}
	}
	res, err := g.Client().Get(plain.URL)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	_, err = g.Client().Get("http://127.0.0.1/")
	require.ErrorIs(t, err, egress.ErrRefused)
	require.NoError(t, p.Close())
}
