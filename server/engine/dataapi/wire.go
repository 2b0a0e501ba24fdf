package dataapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
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

// RoundTrip sends a request and reads the whole answer. A truncated answer is an error here
// already.
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("X-Goog-Api-Key", w.key)
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
	if kept, ok := req.Context().Value(bodyKey{}).(*[]byte); ok {
		*kept = body
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// rawJSON is a JSON value that is not decoded.
type rawJSON = json.RawMessage

type bodyKey struct{}

// keepBody returns a context that makes RoundTrip store the body of the answer in body.
func keepBody(ctx context.Context) (_ context.Context, body *[]byte) {
	body = new([]byte)
	return context.WithValue(ctx, bodyKey{}, body), body
}

// members are the members that an answer's items really have. The types of the API's client
// show a hidden count as 0.
type members []struct {
	Snippet, Statistics, ContentDetails map[string]rawJSON
}

// readMembers reads the body of an answer in which the API's client found n items.
func readMembers(body []byte, n int) (members, error) {
	var answer struct{ Items members }
	err := json.Unmarshal(body, &answer)
	if err == nil && len(answer.Items) != n {
		err = errors.New("items that cannot be counted")
	}
	return answer.Items, err
}

// count returns a count that an item shows, or nil if the count is hidden.
func count(of map[string]rawJSON, name string, n uint64) *int64 {
	if text := of[name]; text == nil || string(text) == "null" || n > math.MaxInt64 {
		return nil
	}
	return new(int64(n))
}
