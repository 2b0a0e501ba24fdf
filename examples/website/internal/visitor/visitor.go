// Package visitor identifies the visitors of the website: users with a password, guests with an
// allowance, or, in single-user mode, the only user.
//
//	visitors, err := visitor.New(ctx, visitor.Options{Database: "sqlite:website.db", Accounts: accounts, Keys: server.KeyAuthenticator(accounts, log)})
//	api, err := server.New(ctx, server.Config{Authenticator: visitors, Admit: visitors.Admit, …})
//	permitted := visitors.Permit(api)
//	mux.Handle("/web/v1/", visitors.Identify(http.StripPrefix("/web", permitted)))
//	mux.Handle("/", visitors.Identify(pages)) // pages call permitted
//
// Identify puts the visitor into the context of the request ([From]), and in no other place: no
// header and no cookie reaches the API. So a request that has not passed Identify needs an API
// key, and a request that has passed it cannot use one.
//
// Users, sessions, guests and their counts are stored in the website's own tables in the
// service's database, so that several processes know the same visitors.
package visitor

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/alexedwards/scs/v2"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
)

// Kind is how well a visitor is known.
type Kind int

// The kinds.
const (
	Stranger Kind = iota // has not requested anything yet
	Guest                // has a cookie, and an allowance
	User                 // has an account
)

// Visitor is the author of a request to the website. The zero value is a stranger.
type Visitor struct {
	Kind    Kind
	Account string // in the service; empty for a stranger
	Name    string // of a user, for display
	Single  bool   // the only user in single-user mode, who does not sign in or out
	Admin   bool   // an administrator; never the only user in single-user mode
}

// Known reports whether the visitor has an account.
func (v Visitor) Known() bool { return v.Kind == User }

// Options configure [Visitors].
type Options struct {
	// Database is the database of the store that Accounts uses. The store must have been opened
	// before.
	Database string
	Accounts *account.Accounts
	// Keys authenticates requests with an API key instead of a cookie.
	Keys server.Authenticator

	// SingleUser makes every visitor the only user; there is no sign-in.
	SingleUser bool
	// SignUp lets strangers make accounts.
	SignUp bool
	// GuestLinks is how many new transcripts a guest may make in a day (UTC). All guests at one
	// address together may make 4 times as many, those of one network (IPv4 /24, IPv6 /48) 6
	// times, and all guests of the site 100 times. 0: there are no guests.
	GuestLinks int
	// GuestPlan holds the other limits of guests; the zero value: GuestPlan(). Guests always
	// share one turn.
	GuestPlan account.Plan

	// Hosts are the site's host names, in addition to those of this machine and IP addresses.
	Hosts []string
	// Private says that only this machine is meant to reach the site: requests that a proxy has
	// forwarded are refused.
	Private bool
	// HTTPS says that people reach the site only by https, through a proxy in front.
	HTTPS bool
	// TrustedProxies are those of server.Config.
	TrustedProxies []netip.Prefix
	// Now is the clock for allowances and tries; nil: the real one.
	Now func() time.Time
	// Log receives errors; nil: nothing is logged.
	Log *slog.Logger
}

// Visitors identifies visitors. Safe for concurrent use.
type Visitors struct {
	Admins Admins

	o         Options
	db        *database
	sessions  *scs.SessionManager
	guests    *guestCookies
	passwords *passwords
	secret    []byte // for the marks of browsers and networks
	origin    *http.CrossOriginProtection
}

// onlyUser is the account of the only user in single-user mode.
const onlyUser = "me"

// New opens the visitors, and makes their tables. The caller calls Close.
func New(ctx context.Context, o Options) (*Visitors, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.GuestPlan.Name == "" {
		o.GuestPlan = GuestPlan()
	}
	o.GuestPlan.SharedTurn = true // one person can be any number of guests
	v := &Visitors{o: o, passwords: newPasswords(passwordCost), origin: http.NewCrossOriginProtection()}
	v.origin.SetDenyHandler(http.HandlerFunc(crossOrigin))
	if o.SingleUser {
		if _, err := o.Accounts.Set(ctx, onlyUser, account.Settings{}); err != nil {
			return nil, err
		}
	}
	v.Admins = Admins{v}
	var err error
	if v.db, err = openDatabase(ctx, o.Database); err != nil {
		return nil, err
	}
	key, err := v.db.secret(ctx, "guests")
	if err != nil {
		return nil, errors.Join(err, v.Close())
	}
	if v.secret, err = v.db.secret(ctx, "known"); err != nil {
		return nil, errors.Join(err, v.Close())
	}
	v.guests = newGuestCookies(key, o.HTTPS)
	v.sessions = newSessions(v.db, o.HTTPS)
	return v, nil
}

// Close releases the database.
func (v *Visitors) Close() error { return v.db.Close() }
