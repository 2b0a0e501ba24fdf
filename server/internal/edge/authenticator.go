package edge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// identity is what the Authenticator says of a request.
type identity struct {
	principal account.Principal
	window    *rateWindow                                      // that the request counted in; nil: there is none
	refusal   *transcript.Error                                // why they may not use the service now; nil: they may
	ask       func(context.Context) (account.Principal, error) // the Authenticator, about the same request
}

// admit identifies the caller of a request. If admit cannot identify the caller, it
// returns an error. The admission still has the known facts, for the log.
func (e *Edge) whoMakes(r *http.Request) (*identity, error) {
	in := &identity{ask: func(ctx context.Context) (account.Principal, error) { return e.ask(ctx, r) }}
	var err error
	in.principal, err = in.ask(r.Context())
	known := in.principal.Account != ""
	if known && err == nil {
		return in, nil
	}
	switch refusal, refused := BusinessFailure(err); {
	case known && refused:
		in.refusal = refusal
		return in, nil
	case !known && err == nil:
		return in, errors.New("server: the Authenticator returned neither an account nor an error")
	}
	return in, err
}

// ask asks the Authenticator. If the Authenticator returns a nil *transcript.Error as
// its error, the error is not nil any more. Then it is unknown whether the
// Authenticator meant to let the request in.
func (e *Edge) ask(ctx context.Context, r *http.Request) (account.Principal, error) {
	p, err := e.authenticator.Authenticate(ctx, r)
	if bad := CheckPrincipal(p); bad != nil {
		return account.Principal{}, bad
	}
	if err == nil {
		return p, nil
	}
	var coded *transcript.Error
	if errors.As(err, &coded) && coded == nil {
		err = errors.New("server: the Authenticator returned a nil *transcript.Error as its error: return a bare nil")
	}
	return p, err
}

// maxName bounds an account's name and a key's id from an Authenticator, in bytes: both
// stand in rows and in indexes.
const maxName = 255

// checkPrincipal refuses what no database takes for the name of an account, or of a key.
// The caller is told whose mistake it is, and the log which one.
func CheckPrincipal(p account.Principal) error {
	for member, name := range map[string]string{"Account": p.Account, "KeyID": p.KeyID} {
		var wrong string
		switch {
		case len(name) > maxName:
			wrong = fmt.Sprintf("has %d bytes, not at most %d", len(name), maxName)
		case !utf8.ValidString(name), strings.ContainsFunc(name, unicode.IsControl):
			wrong = "is not UTF-8 without control characters"
		default:
			continue
		}
		return transcript.Errorf(transcript.ConfigError, "The service takes no account of this name.").
			Because(fmt.Errorf("server: Principal.%s %s: %q", member, wrong, clip.Text(name)))
	}
	return nil
}

// identityOf returns what the Authenticator says of the request that ctx belongs
// to, and false before Authenticate has let it in.
func identityOf(ctx context.Context) (*identity, bool) {
	in := exchangeOf(ctx).identity
	return in, in != nil
}

// WithPrincipal is a context of a request that a principal makes. Tests ask by it what
// stands behind Authenticate.
func WithPrincipal(ctx context.Context, p account.Principal) context.Context {
	return context.WithValue(ctx, exchangeKey{}, &exchange{identity: &identity{principal: p}})
}

// PrincipalOf returns who makes the request that ctx belongs to, and false
// before Authenticate.
func PrincipalOf(ctx context.Context) (account.Principal, bool) {
	in, ok := identityOf(ctx)
	if !ok {
		return account.Principal{}, false
	}
	return in.principal, true
}

// recheckPatience is how long a stream waits to learn whether it may go on.
const recheckPatience = 3 * time.Second

// MayStay identifies the caller of ctx's request once more. It reports whether the
// caller would still be let in, for the same account and with the scope. If MayStay
// cannot find out now, it reports true: a database that is away ends no stream.
func MayStay(ctx context.Context, scope account.Scope) bool {
	in, ok := identityOf(ctx)
	if !ok {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, recheckPatience)
	defer cancel()
	p, err := in.ask(ctx)
	coded, refused := BusinessFailure(err)
	switch {
	case err == nil:
		return p.Account == in.principal.Account && p.Can(scope)
	case errors.Is(err, ErrNoCredential), errors.Is(err, ErrInvalidCredential):
		return false
	case refused:
		return coded.HTTPStatus() >= http.StatusInternalServerError || coded.Code == transcript.RateLimited
	}
	return true
}

// principal is PrincipalOf behind Authenticate.
func Principal(r *http.Request) account.Principal {
	p, _ := PrincipalOf(r.Context())
	return p
}
