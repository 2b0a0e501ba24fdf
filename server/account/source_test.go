package account_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// billing is an embedder's own PlanSource.
type billing func(context.Context, account.Account) (account.Plan, error)

func (b billing) PlanOf(ctx context.Context, a account.Account) (account.Plan, error) {
	return b(ctx, a)
}

// swap is a billing that changes, and counts how often it is asked.
type swap struct {
	asked atomic.Int64
	now   atomic.Pointer[billing]
}

func (s *swap) set(b billing) { s.now.Store(&b) }

func (s *swap) PlanOf(ctx context.Context, a account.Account) (account.Plan, error) {
	s.asked.Add(1)
	return (*s.now.Load())(ctx, a)
}

func always(plan account.Plan, err error) billing {
	return func(context.Context, account.Account) (account.Plan, error) { return plan, err }
}

// billed are the accounts of a service whose plans are a billing's to say. There is one
// account, acme, with a key.
func billed(t *testing.T) (*account.Accounts, *swap, string) {
	t.Helper()
	source := new(swap)
	source.set(always(account.WithoutLimits("yearly"), nil))
	a, err := account.New(storetest.Open(t, storetest.SQLite(t)), source)
	require.NoError(t, err)
	set(t, a, "acme", account.Settings{})
	_, secret := newKey(t, a)
	return a, source, secret
}

// renew makes what is remembered of acme's plan count no more.
func renew(t *testing.T, a *account.Accounts) {
	t.Helper()
	before := set(t, a, "acme", account.Settings{}).UpdatedAt
	require.Eventually(t, func() bool { return set(t, a, "acme", account.Settings{}).UpdatedAt.After(before) }, time.Minute, time.Millisecond)
}

func TestPlansOfABillingDatabase(t *testing.T) {
	t.Parallel()
	a, source, secret := billed(t)
	all, err := a.List(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "yearly", all[0].Plan, "a new account is noted as being on the plan that it has")

	p, err := a.Verify(t.Context(), secret)
	require.NoError(t, err)
	assert.Equal(t, account.WithoutLimits("yearly"), p.Plan)

	lapsed := account.Plan{Name: "lapsed", ActionLabel: "Renew", ActionURL: "https://example.com/renew"}
	source.set(always(lapsed, nil))
	require.Eventually(t, func() bool {
		p, err = a.Verify(t.Context(), secret)
		return err != nil
	}, time.Minute, 10*time.Millisecond)
	assert.ErrorIs(t, err, transcript.UpgradeRequired)
	assert.Equal(t, lapsed, p.Plan)
	_, _, err = a.CreateKey(t.Context(), account.KeyParams{Account: "acme", Name: "ci", Scopes: account.Scopes()})
	assert.ErrorIs(t, err, transcript.UpgradeRequired)

	source.set(func(_ context.Context, acc account.Account) (account.Plan, error) {
		if acc.Plan == "monthly" {
			return account.WithoutLimits("monthly"), nil
		}
		return account.Plan{ActionURL: "https://example.com"}, fmt.Errorf("no %q: %w", acc.Plan, account.ErrNoPlan)
	})
	_, err = a.Set(t.Context(), "acme", account.Settings{Plan: "weekly"})
	assert.ErrorIs(t, err, account.ErrNoPlan)
	assert.EqualError(t, err, `no "weekly": `+account.ErrNoPlan.Error())
	set(t, a, "acme", account.Settings{Plan: "monthly"})
	_, err = a.Verify(t.Context(), secret)
	assert.NoError(t, err, "a change here counts at once")
}

// What a source says cannot let anybody in by mistake, and is not the caller's fault.
func TestSourcesThatFail(t *testing.T) {
	t.Parallel()
	a, source, secret := billed(t)
	tooMany := account.WithoutLimits("odd")
	tooMany.BatchItems = -5
	badLink := account.Plan{ActionURL: "javascript:alert(1)"}
	for what, test := range map[string]struct {
		source billing
		code   transcript.Code
		logged string
	}{
		"a failure":      {always(account.WithoutLimits("free lunch"), errors.New("billing is away")), transcript.ServiceUnavailable, "account acme: billing is away"},
		"a refusal":      {always(account.WithoutLimits(""), transcript.Errorf(transcript.UpgradeRequired, "No.")), transcript.ServiceUnavailable, "account acme: UPGRADE_REQUIRED"},
		"a crash":        {func(context.Context, account.Account) (account.Plan, error) { panic("nil map") }, transcript.ServiceUnavailable, "panic: nil map"},
		"a wrong limit":  {always(tooMany, nil), transcript.ConfigError, `plan "odd" of account acme: batchItems is -5`},
		"no window":      {always(account.Plan{Name: "old", Paid: true}, nil), transcript.ConfigError, `plan "old" of account acme: rateLimit is missing`},
		"no plan's link": {always(badLink, account.ErrNoPlan), transcript.ConfigError, "actionUrl is not"},
	} {
		source.set(test.source)
		renew(t, a)
		p, err := a.Verify(t.Context(), secret)
		assert.Equal(t, "acme", p.Account, "it is known who it is")
		assert.Equal(t, account.Plan{}, p.Plan, what)
		var e *transcript.Error
		require.ErrorAs(t, err, &e, what)
		assert.Equal(t, test.code, e.Code, what)
		assert.Equal(t, 503, e.HTTPStatus(), what)
		assert.ErrorContains(t, e.Err, test.logged, what)
		assert.NotContains(t, e.Message, "acme", what)
		if test.code == transcript.ServiceUnavailable {
			assert.Equal(t, 2, e.RetryAfter, what)
		}
		if what == "a crash" { // CreateKey has a caller of its own
			_, err = a.Set(t.Context(), "other", account.Settings{})
			assert.ErrorIs(t, err, test.code, what)
			continue
		}
		_, _, err = a.CreateKey(t.Context(), account.KeyParams{Account: "acme", Name: "ci", Scopes: account.Scopes()})
		assert.ErrorIs(t, err, test.code, what)
		if test.code == transcript.ServiceUnavailable {
			_, err = a.Set(t.Context(), "other", account.Settings{})
			assert.ErrorIs(t, err, test.code, what)
		}
	}
	source.set(always(account.WithoutLimits("yearly"), nil))
	renew(t, a)
	_, err := a.Verify(t.Context(), secret)
	assert.NoError(t, err)
}

// A slow source is asked once for all requests of an account, which do not hold up
// those of others; one that is cut off does not take the answer from the rest.
func TestSlowSource(t *testing.T) {
	t.Parallel()
	a, source, secret := billed(t)
	set(t, a, "globex", account.Settings{})
	_, other, err := a.CreateKey(t.Context(), account.KeyParams{Account: "globex", Name: "ci", Scopes: account.Scopes()})
	require.NoError(t, err)

	begun, release := make(chan struct{}, 1), make(chan struct{})
	source.set(func(ctx context.Context, acc account.Account) (account.Plan, error) {
		if acc.Name == "acme" {
			begun <- struct{}{}
			select {
			case <-release:
			case <-ctx.Done():
				return account.Plan{}, ctx.Err()
			}
		}
		return account.WithoutLimits("yearly"), nil
	})
	renew(t, a)
	source.asked.Store(0)
	impatient, leave := context.WithCancel(t.Context())
	var first, all sync.WaitGroup
	first.Go(func() {
		_, err := a.Verify(impatient, secret)
		assert.ErrorIs(t, err, context.Canceled)
	})
	<-begun
	for range 50 {
		all.Go(func() {
			_, err := a.Verify(t.Context(), secret)
			assert.NoError(t, err)
		})
	}
	_, err = a.Verify(t.Context(), other)
	assert.NoError(t, err, "globex does not wait for acme")
	assert.EqualValues(t, 2, source.asked.Load())
	leave()
	first.Wait()
	close(release)
	all.Wait()
	assert.LessOrEqual(t, source.asked.Load(), int64(3), "one more, where the machine took a second over it")
}

// Of a source whose calls do not return a few are left behind for an account, and no
// more; when one is back, it is asked again.
func TestCallsThatDoNotReturn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		acme, globex := account.Account{Name: "acme"}, account.Account{Name: "globex"}
		release := make(chan struct{})
		var asked atomic.Int32
		plan := account.Inquiring(billing(func(_ context.Context, a account.Account) (account.Plan, error) {
			if a.Name == "acme" {
				asked.Add(1)
				<-release
			}
			return account.WithoutLimits("yearly"), nil
		}))
		for i := range 6 {
			began := time.Now()
			_, err := plan(t.Context(), acme)
			require.ErrorIs(t, err, transcript.ServiceUnavailable)
			if i < 3 {
				require.ErrorContains(t, err, "no answer within 3s")
				assert.Equal(t, 3*time.Second, time.Since(began))
				assert.EqualValues(t, i+1, asked.Load())
			} else {
				assert.Zero(t, time.Since(began), "nobody waits for what does not come")
				assert.EqualValues(t, 3, asked.Load())
			}
			_, err = plan(t.Context(), acme)
			require.ErrorIs(t, err, transcript.ServiceUnavailable, "it is remembered")
			_, err = plan(t.Context(), globex)
			require.NoError(t, err)
			time.Sleep(time.Second) // in the bubble
		}
		close(release)
		synctest.Wait()
		p, err := plan(t.Context(), acme)
		require.NoError(t, err)
		assert.Equal(t, "yearly", p.Name)
	})
}

// While a key is in use its source is asked once a second, whether it answers, refuses
// or fails.
func TestSourceIsAskedOnceASecond(t *testing.T) {
	t.Parallel()
	for what, answer := range map[string]billing{
		"answers": always(account.WithoutLimits("yearly"), nil),
		"refuses": always(account.Plan{}, nil),
		"fails":   always(account.Plan{}, errors.New("billing is away")),
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				source := new(swap)
				source.set(answer)
				plan := account.Inquiring(source)
				for range 1000 {
					_, _ = plan(t.Context(), account.Account{Name: "acme"}) // what it says is another test's
					time.Sleep(10 * time.Millisecond)                       // in the bubble
				}
				assert.EqualValues(t, 10, source.asked.Load())
			})
		})
	}
}
