package edge

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/account"
)

// KeyAuthenticator accepts the API keys of accounts. The log names the prefix of a key that
// was sent in a query.
type KeyAuthenticator struct {
	Accounts *account.Accounts
	Log      *slog.Logger
}

// Authenticate implements Authenticator.
func (a KeyAuthenticator) Authenticate(ctx context.Context, r *http.Request) (account.Principal, error) {
	if prefix, found := keyInQuery(r); found {
		a.Log.WarnContext(ctx, "an API key was sent in a query: it should be rotated", "key", prefix)
		return account.Principal{}, ErrInvalidCredential
	}
	key, err := credential(r)
	if err != nil {
		return account.Principal{}, err
	}
	p, err := a.Accounts.Verify(ctx, key)
	if errors.Is(err, account.ErrInvalid) {
		err = ErrInvalidCredential
	}
	return p, err
}

// CheckAccount implements AccountChecker.
func (a KeyAuthenticator) CheckAccount(ctx context.Context, name string) error {
	_, err := a.Accounts.Principal(ctx, name)
	return err
}

// credential returns the only key of a request: a bearer token, or the value of
// X-API-Key.
func credential(r *http.Request) (string, error) {
	bearer, header := r.Header.Values("Authorization"), r.Header.Values("X-Api-Key")
	switch {
	case len(bearer)+len(header) == 0 && r.Header.Get("Cookie") != "":
		return "", ErrInvalidCredential // a browser's session is not a credential of the API
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

// keyInQuery looks for a key in the query, under any name. A key in a query ends up in logs
// and histories, so such a key must not work. keyInQuery also finds the key in a query that
// cannot be parsed, and with escaped characters.
func keyInQuery(r *http.Request) (prefix string, found bool) {
	if r.URL.RawQuery == "" {
		return "", false
	}
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
