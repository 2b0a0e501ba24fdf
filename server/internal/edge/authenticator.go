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

// identity is what the Authenticator says about a request.
type identity struct {
	principal account.Principal
	window    *rateWindow                                      // in which the request was counted; nil if there is no window
	counted   bool                                             // it was counted in a window, or needs none
	refusal   *transcript.Error                                // why the account may not use the service now; nil means that it may
	ask       func(context.Context) (account.Principal, error) // the Authenticator, for the same request
}

// whoMakes identifies the caller of a request. The error says that the caller is unknown. The
// identity then still has the known facts, for the log.
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

// ask asks the Authenticator. If the Authenticator returns a nil *transcript.Error as its
// error, the error interface is not nil. Then it is not clear whether the Authenticator
// meant to accept the request.
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

// maxName limits an account's name and a key's id from an Authenticator, in bytes,
// because both are stored in rows and in indexes.
const maxName = 255

// CheckPrincipal refuses a principal with names that no database accepts. The answer says
// that the service is at fault, and the log names the fault.
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

// identityOf returns the identity of the request that ctx belongs to. It returns false
// before Authenticate has accepted the request.
func identityOf(ctx context.Context) (*identity, bool) {
	in := exchangeOf(ctx).identity
	return in, in != nil
}

// PrincipalOf returns the principal of the request that ctx belongs to, and false before
// Authenticate.
func PrincipalOf(ctx context.Context) (account.Principal, bool) {
	in, ok := identityOf(ctx)
	if !ok {
		return account.Principal{}, false
	}
	return in.principal, true
}

// recheckPatience is how long a stream waits for the answer whether it may continue.
const recheckPatience = 3 * time.Second

// MayStay identifies the caller of ctx's request again. It reports whether the caller
// would still be accepted, for the same account and with the scope. If MayStay cannot
// find out now, it reports true, so that an unavailable database ends no stream.
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

// Principal is the principal of a request after Authenticate.
func Principal(r *http.Request) account.Principal {
	p, _ := PrincipalOf(r.Context())
	return p
}
