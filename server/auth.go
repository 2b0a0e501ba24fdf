package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The errors of an Authenticator. Their texts are the slugs of the 401 answers.
var (
	// ErrNoCredential: the request carries none.
	ErrNoCredential = errors.New("unauthorized")
	// ErrInvalidCredential: it carries one that is not good, or two.
	ErrInvalidCredential = errors.New("invalid_credential")
)

// Authenticator says who makes a request. The error is ErrNoCredential,
// ErrInvalidCredential, or a *transcript.Error such as UPGRADE_REQUIRED; any
// other is answered as a fault of the service. A principal beside an error is
// for the log alone. While an event stream is open it is asked again every 10 s,
// with the same request: the stream ends when that is refused, is another
// account's, or has lost the scope. Safe for concurrent use.
type Authenticator interface {
	Authenticate(ctx context.Context, r *http.Request) (account.Principal, error)
}

// Authenticate lets a request pass only with a credential that the server's
// Authenticator accepts, and puts the principal into its context ([PrincipalOf]).
// A request that has a principal already is let through.
func (s *Server) Authenticate(next http.Handler) http.Handler {
	return s.outermost(s.answering(func(w http.ResponseWriter, r *http.Request) error {
		if _, ok := PrincipalOf(r.Context()); ok {
			next.ServeHTTP(w, r)
			return nil
		}
		p, err := s.cfg.Authenticator.Authenticate(r.Context(), r)
		note(r.Context()).principal = p // also of a request that is refused, where it is known
		if errors.Is(err, ErrNoCredential) || errors.Is(err, ErrInvalidCredential) {
			if wait := s.failures.add(clientAddr(r), time.Now()); wait > 0 {
				return rateLimited(int(wait/time.Second) + 1)
			}
		}
		if err != nil {
			return err
		}
		in := &admission{principal: p, again: func(ctx context.Context) (account.Principal, error) { return s.cfg.Authenticator.Authenticate(ctx, r) }}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), admissionKey{}, in)))
		return nil
	}))
}

// RequireScope lets a request pass only when its principal has the scope. It
// stands behind Authenticate.
func (s *Server) RequireScope(scope account.Scope) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return s.outermost(s.answering(func(w http.ResponseWriter, r *http.Request) error {
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

// admission is what Authenticate notes of a request that it lets in.
type admission struct {
	principal account.Principal
	again     func(context.Context) (account.Principal, error) // asks once more who makes the request
}

type admissionKey struct{}

// PrincipalOf returns who makes the request that ctx belongs to, and false
// before Authenticate.
func PrincipalOf(ctx context.Context) (account.Principal, bool) {
	in, ok := ctx.Value(admissionKey{}).(*admission)
	if !ok {
		return account.Principal{}, false
	}
	return in.principal, true
}

// recheckPatience is how long a stream waits to learn whether it may go on.
const recheckPatience = 3 * time.Second

// mayStay asks once more who makes the request that ctx belongs to, and reports
// whether it would still be let in, for the same account and with the scope. Where
// that cannot be found out now, the answer is yes: a database that is away ends no
// stream.
func mayStay(ctx context.Context, scope account.Scope) bool {
	in, ok := ctx.Value(admissionKey{}).(*admission)
	if !ok {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, recheckPatience)
	defer cancel()
	p, err := in.again(ctx)
	var coded *transcript.Error
	switch {
	case err == nil:
		return p.Account == in.principal.Account && p.Can(scope)
	case errors.Is(err, ErrNoCredential), errors.Is(err, ErrInvalidCredential):
		return false
	case errors.As(err, &coded):
		return coded.HTTPStatus() >= http.StatusInternalServerError || coded.Code == transcript.RateLimited
	}
	return true
}

// principal is PrincipalOf behind Authenticate.
func principal(r *http.Request) account.Principal {
	p, _ := PrincipalOf(r.Context())
	return p
}

// keyAuthenticator accepts API keys (contract 10).
type keyAuthenticator struct {
	accounts *account.Accounts
	log      *slog.Logger
}

func (a keyAuthenticator) Authenticate(ctx context.Context, r *http.Request) (account.Principal, error) {
	if prefix, found := keyInQuery(r); found {
		a.log.WarnContext(ctx, "an API key was sent in a query: it should be rotated", "key", prefix)
		return account.Principal{}, ErrInvalidCredential
	}
	key, err := credential(r)
	if err != nil {
		return account.Principal{}, err
	}
	p, err := a.accounts.Verify(ctx, key)
	if errors.Is(err, account.ErrInvalid) {
		err = ErrInvalidCredential
	}
	return p, err
}

// credential is the one key of a request: as bearer token, or in X-API-Key.
func credential(r *http.Request) (string, error) {
	bearer, header := r.Header.Values("Authorization"), r.Header.Values("X-Api-Key")
	switch {
	case len(bearer)+len(header) == 0 && r.Header.Get("Cookie") != "":
		return "", ErrInvalidCredential // a session is none here
	case len(bearer)+len(header) == 0:
		return "", ErrNoCredential
	case len(bearer)+len(header) > 1:
		return "", ErrInvalidCredential
	case len(header) == 1:
		return header[0], nil
	}
	scheme, key, ok := strings.Cut(bearer[0], " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return "", ErrInvalidCredential
	}
	return strings.TrimSpace(key), nil
}

// keyInQuery looks for a key in the query, under any name: there it ends up in
// logs and histories, so it must not work. It is found as it stands, also where
// the query cannot be parsed, and with its characters escaped.
func keyInQuery(r *http.Request) (prefix string, found bool) {
	if prefix, ok := account.FindKey(r.URL.RawQuery); ok {
		return prefix, true
	}
	for _, values := range r.URL.Query() {
		for _, v := range values {
			if prefix, ok := account.FindKey(v); ok {
				return prefix, true
			}
		}
	}
	return "", false
}

// A client may fail to authenticate so often in a minute (contract 10).
const (
	maxFailures   = 60
	failureWindow = time.Minute
	maxAddresses  = 100_000 // remembered at once
)

// failureCounter counts failed authentications by client address. The zero
// value is ready.
type failureCounter struct {
	mu     sync.Mutex
	window time.Time
	count  map[string]int
}

// add counts a failure. It returns how long the client has to wait when it has
// failed too often, else 0.
func (f *failureCounter) add(addr string, now time.Time) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	if window := now.Truncate(failureWindow); window != f.window || len(f.count) >= maxAddresses {
		f.window, f.count = window, map[string]int{}
	}
	f.count[addr]++
	if f.count[addr] <= maxFailures {
		return 0
	}
	return f.window.Add(failureWindow).Sub(now)
}

// clientAddr is the address of the peer, without its port.
func clientAddr(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
