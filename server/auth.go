package server

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
)

// An [Authenticator] returns one of these errors if it cannot identify the caller.
// Their texts are the slugs of the 401 answers.
var (
	// ErrNoCredential means that the request carries no credential.
	ErrNoCredential = edge.ErrNoCredential
	// ErrInvalidCredential means that the request carries an invalid credential, or two
	// credentials.
	ErrInvalidCredential = edge.ErrInvalidCredential
)

// Authenticator identifies the caller of a request, and decides whether the caller may
// use the service now. It returns one of these:
//
//   - a principal with an account: the request may do what the scopes and the plan
//     include. The zero Plan permits nothing. [account.WithoutLimits] returns a plan
//     that permits everything, and you can then lower its members ([account.Unlimited]
//     is a value of a member, not a plan);
//   - such a principal and a [*transcript.Error]: the account is known but may not use
//     the service. The error is the answer. Plan.UpgradeRequired returns the error for
//     an account that has to pay first;
//   - [ErrNoCredential] or [ErrInvalidCredential]: the account is not known, and the
//     answer is 401;
//   - any other error: the check failed. The answer is 500, unless the error is a
//     [*transcript.Error]: then the answer has its code.
//
// An account has one rate window for requests with a KeyID and another for requests
// without, each with the plan's limit. So a program that reaches its limit does not
// lock people out of a website.
//
// While an event stream is open, the server calls Authenticate again every 10 s, with
// the same request. The stream ends when Authenticate refuses the request, or returns
// another account or a principal without the scope. An Authenticator must be safe for
// concurrent use.
type Authenticator interface {
	Authenticate(ctx context.Context, r *http.Request) (account.Principal, error)
}

// AccountChecker is an optional interface of an [Authenticator]. With it, the
// Authenticator's accounts can share texts and have feeds. Readers of a share
// ([Server.Shared]) or of a feed ([Server.Feeds]) present no credential, so the server
// checks the account that owns the text: before it makes an address, and at each
// reading. CheckAccount returns one of these:
//
//   - nil means that the account may use the service;
//   - [account.ErrNotFound]: there is no such account. The server makes no address for
//     it (403), and answers 404 to readers;
//   - a *transcript.Error, such as that of Plan.UpgradeRequired: the account is
//     suspended or has to pay first. The account gets the error as the answer. Readers
//     get 404, or the error if its status is 5xx;
//   - any other error: the check failed, as for Authenticate.
//
// If an Authenticator does not implement AccountChecker, only the accounts of
// [Config.Accounts] can share texts and have feeds. The server calls your CheckAccount
// for those accounts too; your method can call the CheckAccount of the
// [KeyAuthenticator]. An AccountChecker must be safe for concurrent use.
type AccountChecker interface {
	CheckAccount(ctx context.Context, name string) error
}

// KeyAuthenticator returns the Authenticator that a server uses if
// [Config.Authenticator] is nil: it accepts the API keys of accounts. Your own
// Authenticator can call it for requests that carry a key. It refuses a key in the
// query, and logs the key's prefix. log may be nil. The result also implements
// [AccountChecker] for these accounts.
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

// Authenticate returns a handler that passes a request on to next only if the server's
// [Authenticator] accepts it and the account is within its rate limit. The handler puts
// the principal into the request's context: see [PrincipalOf]. If the request already
// has a principal, the handler passes it on and does not count it again.
func (s *Server) Authenticate(next http.Handler) http.Handler { return s.edge.Authenticate(next) }

// RequireScope returns middleware that passes a request on only if its principal has
// the scope, and answers 403 otherwise. Use it inside [Server.Authenticate].
func (s *Server) RequireScope(scope account.Scope) func(http.Handler) http.Handler {
	return s.edge.RequireScope(scope)
}

// Refuse answers a request with an error in the form of the API, for middleware and
// routes of the embedding program. The answer has the header X-Request-Id. The server
// logs and counts it.
//
//   - For a [*transcript.Error], the answer has the status and the body of its code.
//     For RATE_LIMITED, the body is flat, and RetryAfter is required.
//   - For [ErrNoCredential] and [ErrInvalidCredential], the status is 401.
//   - For any other error and for nil, the status is 500, and the server logs the
//     error.
//
// Call Refuse before writing any part of the answer.
func (s *Server) Refuse(w http.ResponseWriter, r *http.Request, err error) { s.edge.Refuse(w, r, err) }

// PrincipalOf returns the principal of the request with the context ctx. It returns
// false outside of [Server.Authenticate].
func PrincipalOf(ctx context.Context) (account.Principal, bool) { return edge.PrincipalOf(ctx) }

// RequestID returns the id of the request with the context ctx, as in the header
// X-Request-Id. It is empty outside of a request.
func RequestID(ctx context.Context) string { return edge.RequestID(ctx) }

// ClientAddr returns the client address of a request: the address of the peer, or the
// address in X-Forwarded-For if the peer is a proxy in trusted. The header is ignored
// if the peer is not in trusted. The result is the zero Addr if the peer has no IP
// address, as on a Unix socket.
//
// A server with [Config.TrustedProxies] limits its clients by this address. Use
// ClientAddr to limit requests by the same address.
func ClientAddr(r *http.Request, trusted []netip.Prefix) netip.Addr {
	return edge.ClientAddr(r, trusted)
}
