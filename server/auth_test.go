package server_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// unknownJob is a path that is answered with 404 once the caller is let in.
const unknownJob = "/v1/transcript/job/019321a0-7c11-7c3e-9a55-2f6d1f0c9b11"

// altered is a key with one character of its secret changed, which its checksum
// notices.
func altered(key string) string {
	last := key[len(key)-1]
	return key[:len(key)-1] + string(last^1)
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	s := start(t)
	other := start(t)
	for name, c := range map[string]struct {
		path    string // unknownJob where empty
		changes []change
		slug    string // empty: let in
	}{
		"a bearer":              {"", nil, ""},
		"a bearer, lower case":  {"", []change{as(""), header("Authorization", "bearer "+s.Key)}, ""},
		"X-API-Key":             {"", []change{as(""), header("X-API-Key", s.Key)}, ""},
		"a bearer and a cookie": {"", []change{header("Cookie", "session=1")}, ""},

		"none":                     {"", []change{as("")}, "unauthorized"},
		"a cookie alone":           {"", []change{as(""), header("Cookie", "session=1")}, "invalid_credential"},
		"a bearer that is no key":  {"", []change{as("eyJhbGciOiJIUzI1NiJ9.e30.x")}, "invalid_credential"},
		"an empty bearer":          {"", []change{as(""), header("Authorization", "Bearer")}, "invalid_credential"},
		"another scheme":           {"", []change{as(""), header("Authorization", "Basic "+s.Key)}, "invalid_credential"},
		"a key without a scheme":   {"", []change{as(""), header("Authorization", s.Key)}, "invalid_credential"},
		"a key with a typing slip": {"", []change{as(altered(s.Key))}, "invalid_credential"},
		"a key cut short":          {"", []change{as(s.Key[:len(s.Key)-1])}, "invalid_credential"},
		"another service's key":    {"", []change{as(other.Key)}, "invalid_credential"},
		"both headers":             {"", []change{header("X-API-Key", s.Key)}, "invalid_credential"},
		"two bearers":              {"", []change{header("Authorization", "Bearer "+s.Key)}, "invalid_credential"},
		"two X-API-Keys":           {"", []change{as(""), header("X-API-Key", s.Key), header("X-API-Key", s.Key)}, "invalid_credential"},

		"a key in the query":             {unknownJob + "?api_key=" + s.Key, []change{as("")}, "invalid_credential"},
		"a key in the query as well":     {unknownJob + "?x=" + s.Key, nil, "invalid_credential"},
		"a foreign key in the query":     {unknownJob + "?x=" + other.Key, nil, "invalid_credential"},
		"a key as a name in the query":   {unknownJob + "?" + s.Key, nil, "invalid_credential"},
		"a key within a value":           {unknownJob + "?next=/a/" + s.Key + "/b", nil, "invalid_credential"},
		"an escaped key":                 {unknownJob + "?x=" + strings.Replace(s.Key, "tr_", "t%72_", 1), nil, "invalid_credential"},
		"a key in a query of a bad form": {unknownJob + "?x=%zz;y=" + s.Key, nil, "invalid_credential"},
		"no key in the query":            {unknownJob + "?x=" + altered(s.Key), nil, ""},
	} {
		path := c.path
		if path == "" {
			path = unknownJob
		}
		a := s.get(t, path, c.changes...)
		if c.slug == "" {
			assert.Equal(t, http.StatusNotFound, a.StatusCode, "%s: %s", name, a.body)
			continue
		}
		require.Equal(t, http.StatusUnauthorized, a.StatusCode, name)
		assert.Equal(t, c.slug, a.slug(t), name)
		assert.Equal(t, "Bearer", a.Header.Get("WWW-Authenticate"), name)
	}
	log := s.log.String()
	assert.NotContains(t, log, s.Key)
	assert.NotContains(t, log, other.Key)
	assert.Contains(t, log, "key="+other.Key[:11], "the owner is told")
}

func TestCredentialsThatHaveLapsed(t *testing.T) {
	t.Parallel()
	s := start(t)
	ctx := t.Context()
	newKey := func(expires *time.Time) string {
		_, key, err := s.Accounts.CreateKey(ctx, account.KeyParams{
			Account: servertest.Account, Name: "test", Scopes: account.Scopes(), ExpiresAt: expires,
		})
		require.NoError(t, err)
		return key
	}
	soon := time.Now().Add(200 * time.Millisecond)
	expiring, revoked := newKey(&soon), newKey(nil)
	require.Equal(t, http.StatusNotFound, s.get(t, unknownJob, as(revoked)).StatusCode)
	require.NoError(t, s.Accounts.Revoke(ctx, revoked[:11]))
	a := s.get(t, unknownJob, as(revoked))
	require.Equal(t, http.StatusUnauthorized, a.StatusCode, "what is changed through Config.Accounts, the next request obeys")
	assert.Equal(t, "invalid_credential", a.slug(t))

	<-time.After(time.Until(soon))
	assert.Equal(t, http.StatusUnauthorized, s.get(t, unknownJob, as(expiring)).StatusCode)
	assert.Equal(t, http.StatusNotFound, s.get(t, unknownJob).StatusCode, "the other keys stay")
}

func TestSuspendedAndUnpaidAccounts(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *server.Config) {
		const label, url = "Upgrade", "https://example.com/plans"
		offer(c, account.Plans{Default: "basic", ByName: map[string]account.Plan{
			"basic": {Name: "basic", Paid: true, ActionLabel: label, ActionURL: url},
			"free":  {Name: "free", ActionLabel: label, ActionURL: url},
		}})
	})
	yes, no := true, false
	for name, c := range map[string]account.Settings{
		"suspended": {Suspended: &yes},
		"unpaid":    {Plan: "free", Suspended: &no},
	} {
		_, err := s.Accounts.Set(t.Context(), servertest.Account, c)
		require.NoError(t, err)
		a := s.get(t, unknownJob)
		require.Equal(t, http.StatusPaymentRequired, a.StatusCode, name)
		e := a.failure(t)
		assert.Equal(t, "UPGRADE_REQUIRED", e["code"], name)
		assert.Equal(t, "Upgrade", e["actionLabel"], name)
		assert.Equal(t, "https://example.com/plans", e["actionUrl"], name)
		assert.Equal(t, "https://example.com/plans", e["upgrade_url"], name)
		assert.Regexp(t, `request=`+a.Header.Get("X-Request-Id")+` .* status=402 .* account=acme key=`+s.Key[:11]+" ", s.log.String())
		_, err = s.Accounts.Set(t.Context(), servertest.Account, account.Settings{Plan: "basic", Suspended: &no})
		require.NoError(t, err)
		assert.Equal(t, http.StatusNotFound, s.get(t, unknownJob).StatusCode, name)
	}
}

func TestScopeIsRequired(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := s.NewKey(t, servertest.Account, account.Batches)
	id := s.job(t, "a file")
	for _, c := range []struct{ method, path string }{
		{http.MethodPost, "/v1/transcript"},
		{http.MethodGet, "/v1/transcript/job/" + id},
		{http.MethodGet, "/v1/transcript/job/" + id + "/events"},
		{http.MethodPost, "/v1/transcript/job/" + id + "/cancel"},
	} {
		a := s.do(t, c.method, c.path, nil, as(key))
		require.Equal(t, http.StatusForbidden, a.StatusCode, c.path)
		e := a.failure(t)
		assert.Equal(t, "FORBIDDEN", e["code"], c.path)
		assert.Equal(t, map[string]any{"requiredScope": "transcripts"}, e["details"], c.path)
	}
	for _, path := range []string{"/healthz", "/readyz", "/docs/openapi.json"} {
		assert.Equal(t, http.StatusOK, s.get(t, path, as("")).StatusCode, path)
	}
}

// The first of several faults is answered: 401, 402, 403, 415, 400 (contract 1).
func TestOrderOfChecks(t *testing.T) {
	t.Parallel()
	s := start(t)
	bad := []change{header("Content-Type", "text/plain"), header("Idempotency-Key", "é")}
	post := func(changes ...change) int {
		return s.do(t, http.MethodPost, "/v1/transcript", strings.NewReader("{"), append(changes, bad...)...).StatusCode
	}
	weak := s.NewKey(t, "globex", account.Batches)
	assert.Equal(t, http.StatusUnauthorized, post(as("")))
	assert.Equal(t, http.StatusForbidden, post(as(weak)))
	assert.Equal(t, http.StatusUnsupportedMediaType, post())
	yes := true
	_, err := s.Accounts.Set(t.Context(), "globex", account.Settings{Suspended: &yes})
	require.NoError(t, err)
	assert.Equal(t, http.StatusPaymentRequired, post(as(weak)))
}

// No key is to be found in what the service keeps or says.
func TestKeysAreKeptNowhere(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.upload(t, "a file", header("Idempotency-Key", "one"))
	s.get(t, unknownJob+"?key="+s.Key)
	s.get(t, unknownJob, as(altered(s.Key)))
	s.get(t, "/"+s.Key)
	secret := s.Key[12:]
	assert.NotContains(t, s.log.String(), secret)
	assert.Contains(t, s.log.String(), "key="+s.Key[:11], "requests are logged with the key's prefix")
	for _, path := range append(files(t, s.dir), files(t, s.scratch)...) {
		assert.NotContains(t, read(t, path), secret, path)
	}
	keys, err := s.Accounts.Keys(t.Context())
	require.NoError(t, err)
	assert.NotContains(t, fmt.Sprintf("%+v", keys), secret)
}

// After 60 failures in a minute an address is refused before it is looked at
// (contract 10). Who authenticates is not concerned.
func TestFailuresAreCounted(t *testing.T) {
	t.Parallel()
	s := start(t)
	limited := 0
	for range 130 { // of which more than 60 fall into one minute
		a := s.get(t, unknownJob, as("nonsense"))
		if a.StatusCode != http.StatusTooManyRequests {
			require.Equal(t, http.StatusUnauthorized, a.StatusCode)
			continue
		}
		limited++
		assert.Equal(t, "rate_limited", a.slug(t))
		assert.Regexp(t, `^[1-9][0-9]?$`, a.Header.Get("Retry-After"))
	}
	assert.GreaterOrEqual(t, limited, 10)
	assert.Equal(t, http.StatusNotFound, s.get(t, unknownJob).StatusCode)
}

// sessions are an embedder's own way to authenticate.
type sessions map[string]any // a principal or an error, by the cookie's value

func (s sessions) Authenticate(_ context.Context, r *http.Request) (account.Principal, error) {
	c, err := r.Cookie("session")
	if err != nil {
		return account.Principal{}, server.ErrNoCredential
	}
	switch v := s[c.Value].(type) {
	case account.Principal:
		return v, nil
	case error:
		return account.Principal{}, v
	}
	return account.Principal{}, server.ErrInvalidCredential
}

func TestOwnAuthenticator(t *testing.T) {
	t.Parallel()
	plan := account.DefaultPlans().ByName["self_hosted"]
	s := start(t, func(c *server.Config) {
		c.Authenticator = sessions{
			"ann":  account.Principal{Account: "ann", Scopes: account.Scopes(), Plan: plan},
			"bob":  account.Principal{Account: "bob", Scopes: []account.Scope{account.Batches}, Plan: plan},
			"cleo": plan.UpgradeRequired("Your trial has ended."),
			"dan":  errors.New("the session store is gone"),
			"eve":  transcript.Errorf(transcript.RateLimited, "Slowly."),
		}
	})
	for session, status := range map[string]int{
		"ann": http.StatusNotFound, "bob": http.StatusForbidden, "cleo": http.StatusPaymentRequired,
		"dan": http.StatusInternalServerError, "eve": http.StatusTooManyRequests, "zoe": http.StatusUnauthorized,
	} {
		a := s.get(t, unknownJob, as(""), header("Cookie", "session="+url.QueryEscape(session)))
		assert.Equal(t, status, a.StatusCode, session)
		assert.NotContains(t, a.body, "session store")
	}
	assert.Equal(t, "unauthorized", s.get(t, unknownJob).slug(t), "an API key is no session")
	a := s.upload(t, "a file", as(""), header("Cookie", "session=ann"))
	assert.Equal(t, http.StatusOK, a.StatusCode, a.body)
	assert.Contains(t, s.log.String(), "account=ann")
}
