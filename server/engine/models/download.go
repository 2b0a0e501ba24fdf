package models

import (
	"net/http"
	"time"

	"github.com/cenkalti/backoff/v4"
)

// withoutProxy connects directly, whatever the environment says.
func withoutProxy() http.RoundTripper {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	return transport
}

// downloader is a client that follows no more redirects than it should.
func downloader(client *http.Client) *http.Client {
	c := *client
	return &c
}

func pauses() backoff.BackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval, b.MaxElapsedTime = time.Second, 30*time.Second, 0
	return b
}
