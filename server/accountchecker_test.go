package server_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// checkedSessions are the sessions of a program that says of its accounts whether they live.
type checkedSessions struct {
	sessions
	says atomic.Pointer[error] // of every account
}

func (c *checkedSessions) CheckAccount(_ context.Context, name string) error {
	if name != "elsewhere" {
		return account.ErrNotFound
	}
	return *c.says.Load()
}

func (c *checkedSessions) say(err error) { c.says.Store(&err) }

// An account of the program around the server shares texts and has a feed, as long as the program
// says that the account may use the service.
func TestAccountsOfTheProgramAreRead(t *testing.T) {
	t.Parallel()
	principal := account.Principal{Account: "elsewhere", Plan: account.WithoutLimits("test"), Scopes: account.Scopes()}
	lost := principal
	lost.Account = "unknown to the checker"
	visitors := &checkedSessions{sessions: sessions{"one": {principal, nil}, "lost": {lost, nil}}}
	visitors.say(nil)
	s := start(t, func(c *server.Config) { c.Authenticator = visitors })
	session := func(name string) change {
		return func(r *http.Request) { as("")(r); r.Header.Set("Cookie", "session="+name) }
	}
	text := s.savedBy(t, session("one"))
	_, token := s.share(t, text, "", session("one"))
	feed := s.newFeed(t, session("one"))

	refusal := account.WithoutLimits("test").UpgradeRequired("The account is suspended.")
	for _, tc := range []struct {
		name         string
		says         error
		read, shared int
	}{
		{"alive", nil, http.StatusOK, http.StatusCreated},
		{"suspended", refusal, http.StatusNotFound, http.StatusPaymentRequired},
		{"refused in words of the program", transcript.Errorf(transcript.Forbidden, "Your account is closed."), http.StatusNotFound, http.StatusForbidden},
		{"removed", account.ErrNotFound, http.StatusNotFound, http.StatusForbidden},
		{"unknown now", transcript.Errorf(transcript.ServiceUnavailable, "Later."), http.StatusServiceUnavailable, http.StatusServiceUnavailable},
		{"a fault", errors.New("the directory is away"), http.StatusInternalServerError, http.StatusInternalServerError},
		{"alive again", nil, http.StatusOK, http.StatusCreated},
	} {
		visitors.say(tc.says)
		assert.Equal(t, tc.read, s.sharedAt(t, token).StatusCode, "a share: %s", tc.name)
		assert.Equal(t, tc.read, s.feedAt(t, feed).StatusCode, "a feed: %s", tc.name)
		assert.Equal(t, tc.shared, s.do(t, http.MethodPost, sharesOf(text), nil, session("one")).StatusCode, "a new share: %s", tc.name)
	}
	a := s.do(t, http.MethodPut, "/v1/feed", nil, session("lost"))
	require.Equal(t, http.StatusForbidden, a.StatusCode, a.body)
}

// The accounts of the API keys are checked in the same way.
func TestKeyAuthenticatorChecksAccounts(t *testing.T) {
	t.Parallel()
	s := start(t)
	keys, checks := server.KeyAuthenticator(s.Accounts, nil).(server.AccountChecker)
	require.True(t, checks)
	require.ErrorIs(t, keys.CheckAccount(t.Context(), "nobody"), account.ErrNotFound)
}
