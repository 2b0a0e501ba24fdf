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
// Once the tests have run, [Document.Unseen] names what is documented and was never
// answered.
//
// The package does not judge whether an answer is the right one, nor what stands
// on a site beside the API: paths outside the document's server go unchecked. Of
// a request's body it keeps a megabyte; a larger one is sent on and not checked.
package apitest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
)

// Client is a client of the service at url that holds everything to the
// service's document, and fails the test where something does not fit. Its
// connections end with the test.
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
