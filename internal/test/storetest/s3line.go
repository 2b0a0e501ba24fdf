package storetest

import (
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

// Through returns another URL of the bucket. fault answers each request to it, with or without
// server.
func (b *Bucket) Through(t testing.TB, fault func(w http.ResponseWriter, r *http.Request, server http.Handler)) string {
	t.Helper()
	s, err := theS3()
	require.NoError(t, err)
	target, err := url.Parse(s.endpoint)
	require.NoError(t, err)
	transport := &http.Transport{DisableCompression: true}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host // the caller has signed it
		},
		Transport:     transport,
		FlushInterval: -1,
		ErrorLog:      log.New(quietly{}, "", 0),
	}
	line := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fault(w, r, proxy) }))
	line.Config.ErrorLog = proxy.ErrorLog
	line.Start()
	t.Cleanup(func() {
		line.CloseClientConnections()
		line.Close()
		transport.CloseIdleConnections()
	})
	return s3URL(b.Name, line.URL)
}

// quietly drops the log of broken connections, which the test causes on purpose.
type quietly struct{}

func (quietly) Write(p []byte) (int, error) { return len(p), nil }
