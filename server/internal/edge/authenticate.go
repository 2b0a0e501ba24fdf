package edge

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The errors by which an Authenticator says that it does not know who makes a
// request. Their texts are the slugs of the 401 answers.
var (
	// ErrNoCredential: the request carries no credential.
	ErrNoCredential = errors.New("unauthorized")
	// ErrInvalidCredential: it carries one that is not good, or two.
	ErrInvalidCredential = errors.New("invalid_credential")
)

// Authenticator says who makes a request, and whether they may use the service
// now. It returns one of these:
//
//   - a principal with an account: they may do what the scopes and the plan include. The
//     zero Plan permits nothing: account.WithoutLimits makes a plan that permits all,
//     and its members can then be lowered (account.Unlimited is one of their values, and
//     no plan);
//   - such a principal and a *transcript.Error: it is them, but they may not, and
//     this is the answer. Plan.UpgradeRequired makes one for those who have to pay
//     first;
//   - ErrNoCredential or ErrInvalidCredential: the caller is unknown, a 401;
//   - any other error: the question cannot be answered now, which is a fault of the
//     service (500) unless it is a *transcript.Error with a code of its own.
//
// While an event stream is open it is asked again every 10 s, with the same
// request: the stream ends when that is refused, is another account's, or has lost
// the scope. Safe for concurrent use.
type Authenticator interface {
	Authenticate(ctx context.Context, r *http.Request) (account.Principal, error)
}

// Authenticate lets a request pass if the server's Authenticator lets its caller in,
// and if the account has not made too many requests. Authenticate puts the principal
// into the request's context ([PrincipalOf]). A request that already has a principal
// passes, and is not counted again.
func (e *Edge) Authenticate(next http.Handler) http.Handler {
	return e.authenticate(db.MainRequests, next)
}

// authenticate is Authenticate of requests of a class.
func (e *Edge) authenticate(class db.RequestClass, next http.Handler) http.Handler {
	return e.outermost(e.answering(func(w http.ResponseWriter, r *http.Request) error {
		if _, ok := PrincipalOf(r.Context()); !ok {
			if err := e.letIn(w, r, class); err != nil {
				return err
			}
		}
		next.ServeHTTP(w, r)
		return nil
	}))
}

// letIn finds out who makes a request (401), whether they make too many (429), and
// whether they may use the service now (402).
func (e *Edge) letIn(w http.ResponseWriter, r *http.Request, class db.RequestClass) error {
	in, err := e.identify(r)
	if err != nil {
		return err
	}
	if in.refusal != nil && in.refusal.HTTPStatus() >= http.StatusInternalServerError {
		return in.refusal // how many they may make is not known
	}
	if in.window, err = e.countRequest(w.Header(), r, in.principal, class); err != nil {
		return err
	}
	if in.refusal != nil {
		return in.refusal
	}
	exchangeOf(r.Context()).identity = in
	return nil
}

// identify identifies the caller of a request, also a caller that may not use the
// service. A client that fails too often gets a 429.
func (e *Edge) identify(r *http.Request) (*identity, error) {
	in, err := e.whoMakes(r)
	entry := exchangeOf(r.Context())
	entry.principal = in.principal
	if errors.Is(err, ErrNoCredential) || errors.Is(err, ErrInvalidCredential) {
		if wait := e.CountFailure(entry.client, time.Now()); wait > 0 {
			return nil, RateLimited(wait)
		}
	}
	return in, err
}

// RequireScope lets a request pass only when its principal has the scope. It
// stands behind Authenticate.
func (e *Edge) RequireScope(scope account.Scope) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return e.outermost(e.answering(func(w http.ResponseWriter, r *http.Request) error {
			p, ok := PrincipalOf(r.Context())
			if !ok {
				return ErrNoCredential
			}
			if !p.Can(scope) {
				return transcript.Errorf(transcript.Forbidden, "This needs the scope %q.", scope).
					With("requiredScope", scope)
			}
			next.ServeHTTP(w, r)
			return nil
		}))
	}
}
