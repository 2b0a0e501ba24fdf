package server

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
)

// The errors by which an Authenticator says that it does not know who makes a request.
// Their texts are the slugs of the 401 answers.
var (
	// ErrNoCredential: the request carries no credential.
	ErrNoCredential = edge.ErrNoCredential
	// ErrInvalidCredential: the request carries a credential that is not good, or two.
	ErrInvalidCredential = edge.ErrInvalidCredential
)

// Authenticator says who makes a request, and whether they may use the service now. It
// returns one of these:
//
//   - a principal with an account: the request may do what the scopes and the plan include.
//     The zero Plan permits nothing. account.WithoutLimits makes a plan that permits all, and
//     its members can then be lowered (account.Unlimited is a value of a member, not a plan);
//   - such a principal and a *transcript.Error: the account is known, but may not use the
//     service, and the error is the answer. Plan.UpgradeRequired makes the error for an
//     account that has to pay first;
//   - ErrNoCredential or ErrInvalidCredential: the account is not known, a 401;
//   - any other error: the question cannot be answered now. That is a fault of the service
//     (500) unless the error is a *transcript.Error with a code of its own.
//
// An account's requests with a KeyID and those without one count in rate windows of their own,
// each up to the plan's limit: a program at its limit does not lock people out of a website.
//
// While an event stream is open, the server asks again every 10 s, with the same request.
// The stream ends when the Authenticator refuses the request, names another account, or takes
// the scope away. An Authenticator is safe for concurrent use.
type Authenticator interface {
	Authenticate(ctx context.Context, r *http.Request) (account.Principal, error)
}

// AccountChecker is what an [Authenticator] may implement too, so that its accounts can share
// texts and have feeds. Readers of a share ([Server.Shared]) or of a feed ([Server.Feeds]) present
// no credential, so the server asks about the account that the text belongs to: before it makes an
// address, and at each reading. CheckAccount returns one of these:
//
//   - nil: the account may use the service;
//   - account.ErrNotFound: there is no such account. It gets no address (403), and its addresses
//     are 404;
//   - a *transcript.Error, such as that of Plan.UpgradeRequired: the account is suspended or has
//     to pay first. The error is the answer to the account, and its addresses are 404, unless the
//     status of the error is 5xx;
//   - any other error: the question cannot be answered now, as for Authenticate.
//
// If an Authenticator does not implement AccountChecker, only the accounts of Config.Accounts can
// share texts and have feeds. An AccountChecker is asked about those accounts too: it can pass the
// question on to KeyAuthenticator. It is safe for concurrent use.
type AccountChecker interface {
	CheckAccount(ctx context.Context, name string) error
}

// KeyAuthenticator accepts the API keys of accounts, as a server does whose
// Config.Authenticator is nil. An embedder's Authenticator can ask it for requests that carry
// a key. A key in a query is refused, and the log names its prefix. log may be nil. The value is
// also an [AccountChecker] of these accounts.
func KeyAuthenticator(accounts *account.Accounts, log *slog.Logger) Authenticator {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return edge.KeyAuthenticator{Accounts: accounts, Log: log}
}

// accountChecker is the Authenticator, or Accounts if the Authenticator checks no accounts.
func (c Config) accountChecker() AccountChecker {
	if checker, ok := c.Authenticator.(AccountChecker); ok {
		return checker
	}
	return edge.KeyAuthenticator{Accounts: c.Accounts, Log: c.Log}
}

// Authenticate lets a request pass only when the server's Authenticator says who makes the
// request and that they may, and when the account has not made too many requests. It puts the
// principal into the request's context ([PrincipalOf]). A request that has a principal already
// passes, and is not counted again.
func (s *Server) Authenticate(next http.Handler) http.Handler { return s.edge.Authenticate(next) }

// RequireScope lets a request pass only when its principal has the scope. It stands behind
// Authenticate.
func (s *Server) RequireScope(scope account.Scope) func(http.Handler) http.Handler {
	return s.edge.RequireScope(scope)
}

// Refuse answers a request with an error as the handlers of the API do: for the middleware
// and the routes of the program around the server. The answer has the header X-Request-Id, and
// is logged and counted.
//
//   - A *transcript.Error gets the status and the body of its code. RATE_LIMITED, for
//     which RetryAfter is required, gets the flat body.
//   - ErrNoCredential and ErrInvalidCredential are 401.
//   - Any other error, nil too, is a fault of the program: 500, and the log says which.
//
// The caller must not have written anything of the answer yet.
func (s *Server) Refuse(w http.ResponseWriter, r *http.Request, err error) { s.edge.Refuse(w, r, err) }

// PrincipalOf returns who makes the request that ctx belongs to, and false before
// Authenticate.
func PrincipalOf(ctx context.Context) (account.Principal, bool) { return edge.PrincipalOf(ctx) }

// RequestID is the id of the request that ctx belongs to, as in the header X-Request-Id;
// empty outside of a request.
func RequestID(ctx context.Context) string { return edge.RequestID(ctx) }

// ClientAddr is the address from which a request comes: the address of the peer, or the
// address that a trusted proxy names in X-Forwarded-For. The header counts for nothing when
// the peer is not in trusted. The address is not valid where the peer has no IP address, as on
// a socket in the file system.
//
// A server with [Config.TrustedProxies] knows its clients by this address. A program can count
// by the same address.
func ClientAddr(r *http.Request, trusted []netip.Prefix) netip.Addr {
	return edge.ClientAddr(r, trusted)
}
