package server_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// unknownJob is a path that is answered with 404 once the caller is let in.
const unknownJob = "/v1/transcript/job/019321a0-7c11-7c3e-9a55-2f6d1f0c9b11"

func TestSuspendedAndUnpaidAccounts(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *server.Config) {
		const label, url = "Upgrade", "https://example.com/plans"
		offer(c, account.Plans{Default: "basic", ByName: map[string]account.Plan{
			"basic": {Name: "basic", Paid: true, RateLimit: account.RateLimit{Requests: account.Unlimited}, ActionLabel: label, ActionURL: url},
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

// Of several faults the first is answered: 401, 429, 402, 403, 415, 400 or 422, 404, 409.
func TestOrderOfChecks(t *testing.T) {
	t.Parallel()
	all, still := account.WithoutLimits("all"), account.WithoutLimits("still")
	still.RateLimit = account.RateLimit{Requests: 0, Window: time.Hour} // no request at all
	free, stillFree := account.Plan{Name: "free", RateLimit: account.RateLimit{Requests: account.Unlimited}}, still
	stillFree.Name, stillFree.Paid = "still-free", false
	s := start(t, offerPlans(all, still, free, stillFree))
	key := func(plan string, scopes ...account.Scope) change {
		key := s.NewKey(t, plan, scopes...)
		_, err := s.Accounts.Set(t.Context(), plan, account.Settings{Plan: plan}) // an account of that name
		require.NoError(t, err)
		return as(key)
	}
	post := func(changes ...change) *answer { // with every fault that a body can have
		changes = append(changes, header("Content-Type", "text/plain"), header("Idempotency-Key", "é"))
		return s.do(t, http.MethodPost, "/v1/transcript", strings.NewReader("{"), changes...)
	}
	mine := s.job(t, "a file")
	s.ended(t, mine)
	require.Equal(t, http.StatusOK, s.postJSON(t, `{"url": "`+video+`", "waitMs": 10000}`, withKey("k")).StatusCode)
	s.Engine.FailCaptions(transcript.Errorf(transcript.Unavailable, "It is gone."))

	for name, c := range map[string]struct {
		got  *answer
		want int
	}{
		"401 before 429": {post(key("still"), header("X-Api-Key", s.Key)), http.StatusUnauthorized},
		"429 before 402": {post(key("still-free", account.Batches)), http.StatusTooManyRequests},
		"429 before 403": {post(key("still", account.Batches)), http.StatusTooManyRequests},
		"402 before 403": {post(key("free", account.Batches)), http.StatusPaymentRequired},
		"403 before 415": {post(key("all", account.Batches)), http.StatusForbidden},
		"415 before 400": {post(), http.StatusUnsupportedMediaType},
		"400 before 404": {s.get(t, unknownJob+"?format=srt"), http.StatusBadRequest},
		"422 before 404": {s.postJSON(t, `{"url": "`+video+`", "language": "!"}`), http.StatusUnprocessableEntity},
		"422 before 409": {s.postJSON(t, `{"url": "https://nowhere.example/"}`, withKey("k")), http.StatusUnprocessableEntity},
		"404 alone":      {s.postJSON(t, `{"url": "AAAAAAAAAAA", "waitMs": 10000}`), http.StatusNotFound},
		"404 before 409": {s.do(t, http.MethodPost, jobPath(mine)+"/cancel", nil, key("all")), http.StatusNotFound},
		"409 alone":      {s.do(t, http.MethodPost, jobPath(mine)+"/cancel", nil), http.StatusConflict},
	} {
		assert.Equal(t, c.want, c.got.StatusCode, "%s: %s", name, c.got.body)
	}
}

// sessions are an embedder's own way to authenticate: what is known of a visitor, by
// the value of a cookie.
type sessions map[string]visitor

type visitor struct {
	account.Principal
	err error
}

func (s sessions) Authenticate(_ context.Context, r *http.Request) (account.Principal, error) {
	c, err := r.Cookie("session")
	if err != nil {
		return account.Principal{}, server.ErrNoCredential
	}
	v, known := s[c.Value]
	if !known {
		return account.Principal{}, server.ErrInvalidCredential
	}
	return v.Principal, v.err
}

func TestOwnAuthenticator(t *testing.T) {
	t.Parallel()
	plan := account.DefaultPlans().ByName["self_hosted"]
	may := func(name string, scopes ...account.Scope) account.Principal {
		return account.Principal{Account: name, Scopes: scopes, Plan: plan}
	}
	s := start(t, func(c *server.Config) {
		c.Authenticator = sessions{
			"ann":    {may("ann", account.Scopes()...), nil},
			"bob":    {may("bob", account.Batches), nil},
			"cleo":   {may("cleo", account.Scopes()...), plan.UpgradeRequired("Your trial has ended.")},
			"dora":   {may("dora", account.Batches), plan.UpgradeRequired("Your trial has ended.")},
			"dan":    {may("dan"), errors.New("the session store is gone")},
			"eve":    {account.Principal{}, transcript.Errorf(transcript.RateLimited, "Slowly.")},
			"fay":    {may("fay"), server.ErrInvalidCredential},
			"nobody": {},
			"gil":    {may("gil", account.Scopes()...), (*transcript.Error)(nil)},
			"hal":    {may("hal", account.Scopes()...), fmt.Errorf("his session: %w", (*transcript.Error)(nil))},
			"ian":    {may("ian", account.Scopes()...), &transcript.Error{Code: transcript.Forbidden, Status: 7}},
			"joe":    {may("joe", account.Scopes()...), &transcript.Error{Code: transcript.Forbidden, Status: http.StatusOK}},
			"kim":    {account.Principal{}, &transcript.Error{Code: transcript.Forbidden, Status: 600}},
		}
	})
	for session, want := range map[string]struct {
		status int
		named  bool // in the log
	}{
		"ann":    {http.StatusNotFound, true},
		"bob":    {http.StatusForbidden, true},
		"cleo":   {http.StatusPaymentRequired, true},
		"dora":   {http.StatusPaymentRequired, true}, // it has not the scope either
		"dan":    {http.StatusInternalServerError, true},
		"eve":    {http.StatusTooManyRequests, false},
		"fay":    {http.StatusUnauthorized, true},
		"nobody": {http.StatusInternalServerError, false}, // the Authenticator's own fault
		"zoe":    {http.StatusUnauthorized, false},
		"gil":    {http.StatusInternalServerError, true}, // a nil that is not nil lets nobody in
		"hal":    {http.StatusInternalServerError, true},
		"ian":    {http.StatusInternalServerError, true}, // its status is that of no failure
		"joe":    {http.StatusInternalServerError, true},
		"kim":    {http.StatusInternalServerError, false},
	} {
		a := s.get(t, unknownJob, as(""), header("Cookie", "session="+session))
		assert.Equal(t, want.status, a.StatusCode, session)
		assert.NotContains(t, a.body, "session store")
		line := s.logLine(t, a)
		assert.Equal(t, want.named, strings.Contains(line, "account="+session+" "), line)
	}
	assert.Equal(t, "unauthorized", s.get(t, unknownJob).slug(t), "an API key is no session")
	a := s.upload(t, "a file", as(""), header("Cookie", "session=ann"))
	assert.Equal(t, http.StatusOK, a.StatusCode, a.body)
}

// What no database takes for the name of an account is a mistake of the program around the
// server: the caller is told whose it is, and the log which one.
func TestNamesThatNoDatabaseTakes(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("n", 255)
	visitors := sessions{"longest": {account.Principal{Account: longest, KeyID: longest}, nil}}
	for name, p := range map[string]account.Principal{
		"NUL": {Account: "a\x00b"}, "line": {Account: "a\nb"}, "not UTF-8": {Account: "\xff"}, "long": {Account: longest + "n"},
		"megabyte": {Account: strings.Repeat("long", 1<<18)}, "key": {Account: "ann", KeyID: "\x00"}, "long key": {Account: "ann", KeyID: longest + "n"},
	} {
		visitors[name] = visitor{p, nil}
		visitors[name+", not paid"] = visitor{p, account.WithoutLimits("none").UpgradeRequired("Your trial has ended.")}
	}
	for name, v := range visitors {
		v.Scopes, v.Plan = account.Scopes(), account.WithoutLimits("all")
		visitors[name] = v
	}
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := startIn(t, o, t.TempDir(), func(c *server.Config) { c.Authenticator = visitors })
		for name, v := range visitors {
			session := []change{as(""), header("Cookie", "session="+name)}
			if name == "longest" {
				require.Equal(t, http.StatusOK, s.upload(t, "a file", session...).StatusCode)
				require.Equal(t, http.StatusOK, s.get(t, "/v1/usage", session...).StatusCode)
				continue
			}
			for _, a := range []*answer{s.upload(t, "a file", session...), s.get(t, "/v1/usage", session...), s.get(t, "/v1/batch", session...)} {
				require.Equal(t, http.StatusServiceUnavailable, a.StatusCode, "%s: %s", name, a.body)
				assert.Equal(t, "CONFIG_ERROR", a.failure(t)["code"], name)
				assert.Less(t, len(a.body), 300, name)
				assert.Regexp(t, `err=.*Principal\.(Account|KeyID) (has|is not)`, s.logLine(t, a), name)
			}
			if v.err != nil {
				continue
			}
			_, _, err := s.Submit(t.Context(), v.Principal, transcript.Request{Source: transcript.URL(video)})
			require.ErrorIs(t, err, transcript.ConfigError, name)
		}
	})
}

// logLine is what the log says of a request.
func (s *service) logLine(t *testing.T, a *answer) string {
	t.Helper()
	id := "msg=request request=" + a.Header.Get("X-Request-Id") + " "
	for line := range strings.Lines(s.log.String()) {
		if strings.Contains(line, id) {
			return line
		}
	}
	require.Fail(t, "no line", id)
	return ""
}

// Behind Authenticate a handler of the embedder's own knows who asks; it is not
// called for those who may not.
func TestAuthenticateAroundAHandler(t *testing.T) {
	t.Parallel()
	plan := account.DefaultPlans().ByName["self_hosted"]
	s := start(t, func(c *server.Config) {
		c.Authenticator = sessions{
			"ann":  {account.Principal{Account: "ann", Plan: plan}, nil},
			"cleo": {account.Principal{Account: "cleo", Plan: plan}, plan.UpgradeRequired("Your trial has ended.")},
		}
	})
	var asked []string
	own := s.Authenticate(s.Authenticate(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		p, ok := server.PrincipalOf(r.Context())
		assert.True(t, ok)
		asked = append(asked, p.Account)
	})))
	for session, status := range map[string]int{"ann": http.StatusOK, "cleo": http.StatusPaymentRequired, "zoe": http.StatusUnauthorized} {
		w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/own", nil)
		r.Header.Set("Cookie", "session="+session)
		own.ServeHTTP(w, r)
		assert.Equal(t, status, w.Code, session)
	}
	assert.Equal(t, []string{"ann"}, asked)
}
