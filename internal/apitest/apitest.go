// Package apitest holds what tests send to the service, and what it answers, to
// the OpenAPI document that the service serves:
//
//	client := apitest.Client(t, url)
//
// Every answer is checked: its status must be documented for the operation, its
// headers, body and events must have the documented form, nothing may stand in
// it that the document does not name, and an error must have one of the codes of
// its status (x-codes). A request is checked when the answer is a 2xx: what the
// service takes must be what the document promises to take, and must come with a
// credential where one is due. Unknown paths and methods must be refused in the
// flat form.
//
// The package does not judge whether an answer is the right one, nor what stands
// on a site beside the API: paths outside the document's server go unchecked. Of
// a request's body it keeps a megabyte; a larger one is sent on and not checked.
package apitest

import (
	"fmt"
	"io"
	"net/http"
	"testing"
)

// Client is a client of the service at url that holds everything to the
// service's document. Its connections end with the test.
func Client(t testing.TB, url string) *http.Client {
	t.Helper()
	next := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(next.CloseIdleConnections)
	return &http.Client{Transport: Transport(t, url, next)}
}

// Transport checks all that goes through next against the document of the
// service at url, and fails the test where something does not fit.
func Transport(t testing.TB, url string, next http.RoundTripper) http.RoundTripper {
	t.Helper()
	d, err := fetch(t, url, next)
	if err != nil {
		t.Fatalf("apitest: %s", err)
	}
	return d.Transport(next, func(err error) { t.Errorf("apitest: %s", err) })
}

func fetch(t testing.TB, url string, next http.RoundTripper) (*Document, error) {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/docs/openapi.json", nil)
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
