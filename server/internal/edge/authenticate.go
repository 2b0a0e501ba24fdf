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

// The errors by which an Authenticator says that it does not know the caller. The texts are
// the slugs of the 401 answers.
var (
	// ErrNoCredential means that the request has no credential.
	ErrNoCredential = errors.New("unauthorized")
	// ErrInvalidCredential means that the request has an invalid credential, or two
	// credentials.
	ErrInvalidCredential = errors.New("invalid_credential")
)

// Authenticator identifies the caller of a request, and decides whether the caller may use the
// service now. Package server documents the rules for embedders. While an event stream is
// open, the edge calls it again every 10 s, with the same request. An Authenticator is safe
// for concurrent use.
type Authenticator interface {
	Authenticate(ctx context.Context, r *http.Request) (account.Principal, error)
}

// AccountChecker says whether an account may use the service now. Package server documents it.
type AccountChecker interface {
	CheckAccount(ctx context.Context, name string) error
}

// Authenticate passes a request on if the server's Authenticator accepts its caller, and
// if the account has not made too many requests. Authenticate puts the principal into the
// request's context ([PrincipalOf]). If a request already has a principal, Authenticate
// passes it on and does not count it again.
func (e *Edge) Authenticate(next http.Handler) http.Handler {
	return e.authenticate(db.MainRequests, next)
}

// authenticate is Authenticate for requests of a class.
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

// letIn identifies the caller of a request (401), and checks whether the account makes
// too many requests or has too many running (429), and whether the account may use the
// service now (402).
func (e *Edge) letIn(w http.ResponseWriter, r *http.Request, class db.RequestClass) error {
	in, err := e.identify(r)
	if err != nil {
		return err
	}
	if in.refusal != nil && in.refusal.HTTPStatus() >= http.StatusInternalServerError {
		return in.refusal // the limit of the account is not known
	}
	if in.refusal != nil && class == countedLater {
		class = db.MainRequests // the handler does not get the request
	}
	if err := e.ofAccount(r.Context(), in.principal); err != nil {
		return err
	}
	if class != countedLater {
		if in.window, err = e.countRequest(w.Header(), r, in.principal, class); err != nil {
			return err
		}
	}
	if in.refusal != nil {
		return in.refusal
	}
	in.counted = class != countedLater
	exchangeOf(r.Context()).identity = in
	return nil
}

// countedLater is the class of a request that its handler counts.
const countedLater db.RequestClass = ""

// Count counts the request of a route that counts itself, and sets the headers of the window.
// If there are too many requests, the error is a 429. If a handler around this one has
// counted a request, it is not counted again.
func (e *Edge) Count(w http.ResponseWriter, r *http.Request, class db.RequestClass) error {
	in := exchangeOf(r.Context()).identity
	if in == nil || in.counted {
		return nil
	}
	in.counted = true
	window, err := e.countRequest(w.Header(), r, in.principal, class)
	in.window = window
	return err
}

// identify identifies the caller of a request, even a caller that may not use the
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

// RequireScope lets a request pass only when its principal has the scope. Use it inside
// Authenticate.
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
