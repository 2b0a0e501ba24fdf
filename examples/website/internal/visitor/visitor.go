// Package visitor knows who uses the website: people with a password, guests with an
// allowance, or, where there is but one person, that one.
//
//	visitors, err := visitor.New(ctx, visitor.Options{Accounts: accounts, Keys: server.KeyAuthenticator(accounts, log)})
//	api, err := server.New(ctx, server.Config{Authenticator: visitors, …})
//	mux.Handle("/web/v1/", visitors.Identify(visitors.Permit(http.StripPrefix("/web", api.Handler()))))
//	mux.Handle("/", visitors.Identify(pages))
//
// Whom Identify has found stands in the context of the request ([From]), and nowhere
// else: no header and no cookie reaches the API. So what comes to it without Identify
// has to bring a key, and what comes by Identify cannot use one.
package visitor

import (
	"context"
	"net/http"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
)

// Kind is how well somebody is known.
type Kind int

// The kinds.
const (
	Stranger Kind = iota // has not done anything yet
	Guest                // has a cookie, and an allowance
	User                 // has an account
)

// Visitor is who makes a request of the website. The zero value is a stranger.
type Visitor struct {
	Kind    Kind
	Account string // in the service; empty for a stranger
	Name    string // of a user, for people
}

// Known reports whether the visitor has an account of their own.
func (v Visitor) Known() bool { return v.Kind == User }

type contextKey struct{}

// From returns who makes the request that ctx belongs to; a stranger outside of
// [Visitors.Identify].
func From(ctx context.Context) Visitor {
	v, _ := ctx.Value(contextKey{}).(Visitor)
	return v
}

// Options says what visitors stand on.
type Options struct {
	Accounts *account.Accounts
	// Keys knows those who come with an API key in the place of a cookie.
	Keys server.Authenticator
}

// Visitors knows who uses the website. Safe for concurrent use.
type Visitors struct {
	accounts *account.Accounts
	keys     server.Authenticator
}

// onlyUser is the account of the one person in single-user mode.
const onlyUser = "me"

// New opens the visitors.
func New(ctx context.Context, o Options) (*Visitors, error) {
	_, err := o.Accounts.Set(ctx, onlyUser, account.Settings{})
	return &Visitors{o.Accounts, o.Keys}, err
}

// Identify finds out who makes a request, and puts it into the request's context.
func (v *Visitors) Identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := context.WithValue(r.Context(), contextKey{}, Visitor{User, onlyUser, onlyUser})
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// Permit lets pass what a visitor may ask of the API.
func (v *Visitors) Permit(next http.Handler) http.Handler { return next }

// Authenticate is the API's question who asks: who stands in the context, else who
// presents a key.
func (v *Visitors) Authenticate(ctx context.Context, r *http.Request) (account.Principal, error) {
	found := From(r.Context())
	if found.Kind == Stranger {
		return v.keys.Authenticate(ctx, r)
	}
	return v.accounts.Principal(ctx, found.Account)
}
