// Package visitor knows who uses the website: people with a password, guests with an
// allowance, or, where there is but one person, that one.
//
//	visitors, err := visitor.New(ctx, visitor.Options{Database: "sqlite:website.db", Accounts: accounts, Keys: server.KeyAuthenticator(accounts, log)})
//	api, err := server.New(ctx, server.Config{Authenticator: visitors, Admit: visitors.Admit, …})
//	permitted := visitors.Permit(api)
//	mux.Handle("/web/v1/", visitors.Identify(http.StripPrefix("/web", permitted)))
//	mux.Handle("/", visitors.Identify(pages)) // which ask permitted
//
// Whom Identify has found stands in the context of the request ([From]), and nowhere
// else: no header and no cookie reaches the API. So what comes to it without Identify
// has to bring a key, and what comes by Identify cannot use one.
//
// Users, sessions, guests and what they have used are kept in tables of the website's own,
// in the service's database, so that many processes know the same visitors.
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

// Kind is how well somebody is known.
type Kind int

// The kinds.
const (
	Stranger Kind = iota // has not done anything yet
	Guest                // has a cookie, and an allowance
	User                 // has an account
)

// Visitor is who makes a request of the website. The zero value is a stranger.
type Visitor struct {
	Kind    Kind
	Account string // in the service; empty for a stranger
	Name    string // of a user, for people
	Single  bool   // the one person in single-user mode, who does not sign in or out
}

// Known reports whether the visitor has an account of their own.
func (v Visitor) Known() bool { return v.Kind == User }

// Options says what visitors stand on.
type Options struct {
	// Database is where the store is that Accounts are kept in, which has been opened
	// before.
	Database string
	Accounts *account.Accounts
	// Keys knows those who come with an API key in the place of a cookie.
	Keys server.Authenticator

	// SingleUser lets everybody in as the one user; nobody signs in.
	SingleUser bool
	// SignUp lets strangers make accounts for themselves.
	SignUp bool
	// GuestLinks is how many new transcripts a guest may have a day (UTC); all guests of
	// one address together may have 4 times as many, those of one network (IPv4 /24, IPv6
	// /48) 6 times, and all guests of the site 100 times. 0: there are no guests.
	GuestLinks int
	// GuestPlan is what guests may have besides; the zero value: GuestPlan(). Guests share
	// one turn, whatever it says.
	GuestPlan account.Plan

	// Hosts are the names under which the site is reached, beside those of this machine
	// and addresses.
	Hosts []string
	// Private says that nobody but this machine is meant to reach the site: what a proxy has
	// passed on for somebody else is refused.
	Private bool
	// HTTPS says that people reach the site by https alone, through a proxy in front.
	HTTPS bool
	// TrustedProxies are those of server.Config.
	TrustedProxies []netip.Prefix
	// Now is the time by which allowances and tries are counted; nil: the real one.
	Now func() time.Time
	// Log receives what goes wrong; nil: nothing is logged.
	Log *slog.Logger
}

// Visitors knows who uses the website. Safe for concurrent use.
type Visitors struct {
	o         Options
	db        *database
	sessions  *scs.SessionManager
	guests    *guestCookies
	passwords *passwords
	secret    []byte // of the marks of browsers and networks
	origin    *http.CrossOriginProtection
}

// onlyUser is the account of the one person in single-user mode.
const onlyUser = "me"

// New opens the visitors, and makes their tables. Close releases them.
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
	o.GuestPlan.SharedTurn = true // anybody can be any number of guests
	v := &Visitors{o: o, passwords: newPasswords(passwordCost), origin: http.NewCrossOriginProtection()}
	v.origin.SetDenyHandler(http.HandlerFunc(crossOrigin))
	if o.SingleUser {
		if _, err := o.Accounts.Set(ctx, onlyUser, account.Settings{}); err != nil {
			return nil, err
		}
	}
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

// Close releases what New has opened.
func (v *Visitors) Close() error { return v.db.Close() }
