package main

import (
	"context"
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
)

// callerMark stands between the secret of a service and the name of a call.
const callerMark = "."

// callers accepts the calls of "transcriptd transcribe". All calls have one account, so that they
// share texts and work. Each call has its own turn, so that unfinished work of an earlier call
// does not delay a new call.
type callers struct{ secret string }

// Authenticate returns the account without limits, with the turn of the call.
func (c callers) Authenticate(_ context.Context, r *http.Request) (account.Principal, error) {
	key, bears := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !bears {
		return account.Principal{}, server.ErrNoCredential
	}
	secret, call, _ := strings.Cut(key, callerMark)
	if subtle.ConstantTimeCompare([]byte(secret), []byte(c.secret)) != 1 {
		return account.Principal{}, server.ErrInvalidCredential
	}
	plan := account.WithoutLimits(call)
	plan.SharedTurn = true
	return account.Principal{Account: localAccount, Scopes: account.Scopes(), Plan: plan}, nil
}
