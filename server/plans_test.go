package server_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
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

// obeyed is how long a process on a busy machine may take to obey a change of an account's
// plan. TestSourceIsAskedOnceASecond in package account shows that 5 s are enough otherwise.
const obeyed = time.Minute

// A key fails from the moment its account leaves a paid plan, in every process on the
// database, and works again when it is back.
func TestAccountLeavesItsPlanInEveryProcess(t *testing.T) {
	t.Parallel()
	shared := storetest.Postgres(t)
	paid := account.WithoutLimits("paid")
	free := account.Plan{Name: "free", ActionLabel: "Choose a plan", ActionURL: "https://example.com/plans"}
	process := func() *service {
		s := &service{log: new(logBuffer)}
		s.Server = servertest.New(t, servertest.OnPlan(paid, free), servertest.ConfigureStore(func(o *store.Options) { *o = shared }))
		s.http = httpClient(t, s.URL)
		return s
	}
	one, two := process(), process()
	// What changes the plan is a process of its own too.
	elsewhere, err := account.New(storetest.Open(t, shared), account.Plans{Default: "paid", ByName: map[string]account.Plan{"paid": paid, "free": free}})
	require.NoError(t, err)
	move := func(plan string, status int) {
		t.Helper()
		_, err := elsewhere.Set(t.Context(), servertest.Account, account.Settings{Plan: plan})
		require.NoError(t, err)
		for name, s := range map[string]*service{"one": one, "two": two} {
			require.Eventually(t, func() bool { return s.get(t, unknownJob, as(one.Key)).StatusCode == status }, obeyed, 10*time.Millisecond, name)
		}
	}
	move("paid", http.StatusNotFound)
	move("free", http.StatusPaymentRequired)
	for name, s := range map[string]*service{"one": one, "two": two} {
		for _, key := range []string{one.Key, two.Key} {
			e := s.get(t, unknownJob, as(key)).failure(t)
			assert.Equal(t, "UPGRADE_REQUIRED", e["code"], name)
			assert.Equal(t, "Choose a plan", e["actionLabel"], name)
			assert.Equal(t, "https://example.com/plans", e["actionUrl"], name)
			assert.Equal(t, "https://example.com/plans", e["upgrade_url"], name)
		}
		_, _, err := s.Accounts.CreateKey(t.Context(), account.KeyParams{Account: servertest.Account, Name: "new", Scopes: account.Scopes()})
		assert.ErrorIs(t, err, transcript.UpgradeRequired, name)
	}
	move("paid", http.StatusNotFound)
}

// sourceOf is a PlanSource of an embedder's.
type sourceOf func(account.Account) (account.Plan, error)

func (f sourceOf) PlanOf(_ context.Context, a account.Account) (account.Plan, error) { return f(a) }

// Where nobody knows what an account may, that is the service's fault, not a reason to
// pay, and lets nobody in.
func TestPlansThatNobodyKnows(t *testing.T) {
	t.Parallel()
	var failure atomic.Pointer[error]
	s := start(t, func(c *server.Config) {
		accounts, err := account.New(c.Store, sourceOf(func(account.Account) (account.Plan, error) {
			if err := failure.Load(); err != nil {
				return account.WithoutLimits("gift"), *err
			}
			return account.WithoutLimits("yearly"), nil
		}))
		require.NoError(t, err)
		c.Accounts = accounts
	})
	require.Equal(t, http.StatusNotFound, s.get(t, unknownJob).StatusCode)
	away := errors.New("billing is away")
	failure.Store(&away)
	var a *answer
	require.Eventually(t, func() bool {
		a = s.get(t, unknownJob)
		return a.StatusCode != http.StatusNotFound
	}, obeyed, 10*time.Millisecond)
	require.Equal(t, http.StatusServiceUnavailable, a.StatusCode)
	assert.Equal(t, "SERVICE_UNAVAILABLE", a.failure(t)["code"])
	assert.Equal(t, "2", a.Header.Get("Retry-After"))
	assert.NotContains(t, a.body, "billing")
	assert.Regexp(t, `status=503 .*account=acme .*billing is away`, s.logLine(t, a))

	assert.Empty(t, a.Header.Get("X-RateLimit-Limit"), "nor is it known how often they may ask")
	for range 70 {
		require.Equal(t, http.StatusServiceUnavailable, s.get(t, unknownJob).StatusCode, "however often")
	}

	gone := account.ErrNoPlan
	failure.Store(&gone)
	require.Eventually(t, func() bool { return s.get(t, unknownJob).StatusCode == http.StatusPaymentRequired }, obeyed, 10*time.Millisecond)
	failure.Store(nil)
	require.Eventually(t, func() bool { return s.get(t, unknownJob).StatusCode == http.StatusNotFound }, obeyed, 10*time.Millisecond)
}
