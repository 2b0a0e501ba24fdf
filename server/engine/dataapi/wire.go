package dataapi

import (
	"bytes"
	"io"
	"net/http"
)

const (
	maxAnswer  = 8 << 20 // fifty videos with the longest descriptions take less than 2 MB
	maxRefusal = 64 << 10
)

// wire sends requests with the key and reads answers of a bounded length.
type wire struct {
	next http.RoundTripper
	key  string
}

// RoundTrip sends a request and reads the whole answer. A truncated answer is already an
// error here.
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("X-Goog-Api-Key", w.key)
	req.Header.Set("User-Agent", "transcriptkit (gzip)") // the API compresses answers only for user agents that contain "gzip"
	resp, err := w.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	var body []byte
	if resp.StatusCode == http.StatusOK {
		body, err = io.ReadAll(http.MaxBytesReader(nil, resp.Body, maxAnswer))
	} else { // the status tells more about the error than a truncated body
		body, _ = io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
	}
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}
