package server_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Each route refuses what stands before its handler: an account that has to pay, one
// whose requests are used up, and those about whom the service cannot say who they are.
// Nothing of this depends on what is asked for.
func TestRefusalsOfEveryRoute(t *testing.T) {
	t.Parallel()
	session := func(name string) change {
		return func(r *http.Request) { r.Header.Set("Cookie", "session="+name) }
	}
	of := func(name string) account.Principal {
		return account.Principal{Account: name, Plan: requests(1), Scopes: account.Scopes()}
	}
	owner, suspended := of("owner"), of("suspended")
	owner.Plan = account.WithoutLimits("test")
	suspended.Plan = owner.Plan
	s := start(t, func(c *server.Config) {
		c.Authenticator = sessions{
			"owner":     {owner, nil},
			"suspended": {suspended, suspended.Plan.UpgradeRequired("The account is suspended.")},
			"spent":     {of("spent"), nil},
			"broken":    {account.Principal{}, errors.New("the sessions are gone")},
		}
	})
	slow := s.behindASlowLine(t)
	asJSON := func(r *http.Request) { r.Header.Set("Content-Type", "application/json") }
	for range 5 { // so many polls are one request
		s.get(t, "/v1/usage", as(""), session("spent"))
		s.get(t, unknownJob, as(""), session("spent"))
	}
	for _, rt := range server.Routes(s.Server.Server) {
		if scopeOf(t, rt.Pattern) == open {
			continue
		}
		thing, _ := thingOf(t, rt)
		refused := func(who string, status int, slug string) *answer {
			a := s.ask(t, rt, thing.unknown, session(who))
			require.Equal(t, status, a.StatusCode, "%s: %s", rt.Operation, a.body)
			if slug != "" && rt.Method != http.MethodHead { // which has no body
				assert.Equal(t, slug, a.slug(t), rt.Operation)
			}
			return a
		}
		a := refused("suspended", http.StatusPaymentRequired, "")
		if rt.Method != http.MethodHead {
			assert.Equal(t, string(transcript.UpgradeRequired), a.failure(t)["code"], rt.Operation)
		}
		a = refused("spent", http.StatusTooManyRequests, "rate_limited")
		assert.NotEmpty(t, a.Header.Get("Retry-After"), rt.Operation)
		a = refused("broken", http.StatusInternalServerError, "internal_error")
		assert.NotContains(t, a.body, "the sessions are gone", rt.Operation)

		if rt.Operation == "continueUpload" { // the bytes of an upload, if there is one: see TestUploadOfASlowSender
			continue
		}
		as := asJSON
		if rt.Operation == "importTranscript" { // it takes files of text alone
			as = func(*http.Request) {}
		}
		if rt.Method == http.MethodPost || rt.Method == http.MethodPatch || rt.Operation == "importTranscript" {
			a = slow.ask(t, rt, thing.unknown, session("owner"), as)
			require.Equal(t, http.StatusRequestTimeout, a.StatusCode, "%s: %s", rt.Operation, a.body)
			assert.Equal(t, "request_timeout", a.slug(t), rt.Operation)
		}
	}
}

// roundTripper answers requests without a network.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// behindASlowLine is the service for those whose bodies do not arrive in time.
func (s *service) behindASlowLine(t *testing.T) *service {
	t.Helper()
	return s.by(t, func(r *http.Request) *http.Request {
		r.Body, r.ContentLength = io.NopCloser(cutOff("{")), -1
		return r
	})
}

// by is the service for requests that come to its handler without a network, changed by a function.
func (s *service) by(t *testing.T, change func(*http.Request) *http.Request) *service {
	t.Helper()
	line := roundTripper(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		r.RemoteAddr = "192.0.2.1:1234"
		if r.Body == nil {
			r.Body = http.NoBody
		}
		r = change(r)
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		resp := w.Result()
		resp.Request = r
		return resp, nil
	})
	served.Lock()
	defer served.Unlock()
	other := *s
	other.http = &http.Client{Transport: served.documents[""].Transport(line, func(err error) { t.Errorf("apitest: %s", err) })}
	return &other
}
