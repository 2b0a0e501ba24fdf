// Package apitest compares the requests of tests, and the service's answers, with the OpenAPI
// document that the service serves:
//
//	client := apitest.Client(t, url)
//
// Every answer is checked. Its status must be documented for the operation. Its headers, body
// and events must have the documented form, without undocumented fields. An error must have one
// of the codes of its status (x-codes). A request is checked if the answer is a 2xx: the
// document must permit each accepted request, and a request must carry a credential if the
// operation needs one. Unknown paths and methods must be refused in the flat form.
//
// After the tests, [Document.Unseen] names documented answers that did not occur.
//
// The package does not judge whether an answer is correct. It does not check paths outside the
// document's server. It keeps a megabyte of a request's body. It sends a larger body on
// unchecked.
package apitest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
)

// Client returns a client of the service at url that compares all requests and answers with the
// service's document, and fails the test if one differs. Its connections are closed when the
// test ends.
func Client(t testing.TB, url string) *http.Client {
	t.Helper()
	next := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(next.CloseIdleConnections)
	d, err := Fetch(t.Context(), url, next)
	if err != nil {
		t.Fatalf("apitest: %s", err)
	}
	return &http.Client{Transport: d.Transport(next, func(err error) { t.Errorf("apitest: %s", err) })}
}

// Fetch asks the service at url for its document.
func Fetch(ctx context.Context, url string, next http.RoundTripper) (*Document, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/docs/openapi.json", nil)
	if err != nil {
		return nil, err
	}
	resp, err := next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the document was answered with %s", resp.Status)
	}
	return Parse(body)
}
