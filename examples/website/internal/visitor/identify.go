package visitor

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// believed is how long a session counts as valid before it is checked again.
const believed = time.Second

// shownTo is the header in which the modules of a page name the user of the page. The session of
// that user may have ended, and another user, or a guest, may use the browser now.
const shownTo = "X-Shown-To"

// asking is a request to the website.
type asking struct {
	client netip.Addr // invalid if there is no address
	answer http.ResponseWriter
	device string // the browser's token; empty: none
	gone   bool   // whether this removes the data of a guest who has gone

	mu      sync.Mutex
	session string // the session's cookie; empty: none
	guest   string // the guest's cookie; empty: none
	visitor Visitor
	found   time.Time // when visitor was found
}

type askingKey struct{}

func askingOf(ctx context.Context) *asking {
	a, _ := ctx.Value(askingKey{}).(*asking)
	return a
}

// From returns the visitor who makes the request of ctx; a stranger outside
// [Visitors.Identify].
func From(ctx context.Context) Visitor {
	a := askingOf(ctx)
	if a == nil {
		return Visitor{}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.visitor
}

// Identify must wrap every handler that cookies open. It identifies the visitor and puts the
// visitor into the request's context. It refuses requests from other sites, requests under a
// foreign host name, requests with an API key, and requests of a page that was shown to another
// visitor. It adds the security headers to all other answers.
func (v *Visitors) Identify(next http.Handler) http.Handler {
	return v.protect(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/assets/") { // assets are public
			next.ServeHTTP(w, r)
			return
		}
		a := &asking{
			client: server.ClientAddr(r, v.o.TrustedProxies), answer: w,
			device: cookie(r, cookieName("device", v.o.HTTPS)), session: cookie(r, v.sessions.Cookie.Name), guest: cookie(r, v.guests.name), found: time.Now(),
		}
		var err error
		if a.visitor, err = v.find(r.Context(), a.session, a.guest); err != nil {
			if r.Context().Err() == nil { // otherwise no visitor waits for the answer
				v.o.Log.ErrorContext(r.Context(), "who makes a request cannot be found out", "err", err)
			}
			refuse(w, r, unavailable(err))
			return
		}
		if shown := r.Header.Get(shownTo); shown != "" && shown != a.visitor.Account {
			refuse(w, r, transcript.Errorf(transcript.Unauthorized, "The user of this page is signed out."))
			return
		}
		w.Header().Set("Cache-Control", "no-store") // handlers may override it
		w.Header().Add("Vary", "Cookie")
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), askingKey{}, a)))
	}))
}

func cookie(r *http.Request, name string) string {
	c, err := r.Cookie(name)
	if err != nil {
		return "" // no such cookie
	}
	return c.Value
}

// find returns the visitor with these cookies. An error means that the visitor cannot be
// identified now.
func (v *Visitors) find(ctx context.Context, session, guest string) (Visitor, error) {
	if v.o.SingleUser {
		return Visitor{Kind: User, Account: onlyUser, Single: true}, nil
	}
	u, err := v.userOf(ctx, session)
	switch {
	case err == nil:
		return visitorOf(u), nil
	case !errors.Is(err, errNoUser):
		return Visitor{}, err
	}
	if id, ok := v.guests.read(guest); ok && v.o.GuestLinks > 0 {
		return Visitor{Kind: Guest, Account: guestAccount(id)}, nil
	}
	return Visitor{}, nil
}

// visitorOf returns a user as a visitor.
func visitorOf(u user) Visitor {
	return Visitor{Kind: User, Account: u.Name, Name: u.Name, Admin: u.Admin}
}

// userOf returns the user of a session. It returns errNoUser if the session or the user has
// ended, or the user may no longer use the service.
func (v *Visitors) userOf(ctx context.Context, session string) (user, error) {
	if session == "" {
		return user{}, errNoUser
	}
	ctx, err := v.sessions.Load(bare{ctx}, session)
	if err != nil {
		return user{}, err
	}
	name := v.sessions.GetString(ctx, userKey)
	if name == "" {
		return user{}, errNoUser
	}
	u, err := v.db.user(ctx, name)
	if err != nil {
		return user{}, err
	}
	if u.Sessions != v.sessions.GetString(ctx, sessionsKey) {
		return user{}, errNoUser
	}
	return u, v.mayUse(ctx, u.Name)
}

// mayUse returns errNoUser if an account is suspended or does not exist.
func (v *Visitors) mayUse(ctx context.Context, name string) error {
	acc, err := v.o.Accounts.Account(ctx, name)
	if errors.Is(err, account.ErrNotFound) || err == nil && acc.Suspended {
		return errNoUser
	}
	return err
}

// bare is a context without the request's values, so that the session is loaded again.
type bare struct{ context.Context }

func (bare) Value(any) any { return nil }

// Authenticate tells the API who makes a request. For requests that passed Identify it is the
// visitor in the context, if the session is still valid. For all others it is the owner of the
// API key.
func (v *Visitors) Authenticate(ctx context.Context, r *http.Request) (account.Principal, error) {
	a := askingOf(r.Context())
	if a == nil {
		return v.o.Keys.Authenticate(ctx, r)
	}
	found, err := v.still(ctx, a)
	if err != nil {
		return account.Principal{}, unavailable(err)
	}
	switch found.Kind {
	case Guest:
		return account.Principal{Account: found.Account, Scopes: []account.Scope{account.Transcripts}, Plan: v.o.GuestPlan}, nil
	case User:
		p, err := v.o.Accounts.Principal(ctx, found.Account)
		if errors.Is(err, account.ErrNotFound) { // it was removed since the session was checked
			return account.Principal{}, server.ErrNoCredential
		}
		if err != nil && p.Plan.Name != "" && !p.Plan.Paid && !errors.Is(err, account.ErrNoPlan) {
			err = nil // the plan includes no keys, which are not needed here
		}
		return p, err
	default:
		return account.Principal{}, server.ErrNoCredential
	}
}

// still returns the visitor of a request that may have lasted long.
func (v *Visitors) still(ctx context.Context, a *asking) (Visitor, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.gone || time.Since(a.found) < believed {
		return a.visitor, nil
	}
	found, err := v.find(ctx, a.session, a.guest)
	if err != nil {
		return Visitor{}, err
	}
	a.visitor, a.found = found, time.Now()
	return found, nil
}

// unavailable is the answer while the database cannot be reached.
func unavailable(err error) *transcript.Error {
	e := transcript.Errorf(transcript.ServiceUnavailable, "The website is not available at the moment.")
	e.RetryAfter = 2
	return e.Because(err)
}
