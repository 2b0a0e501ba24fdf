package main

import (
	"errors"
	"log/slog"
	"net"
	"net/netip"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
)

// visitorFlags say who may use the website, and by which name and way they reach it.
type visitorFlags struct {
	SingleUser   bool           `help:"No sign-in: everything belongs to whoever opens the page, which is served to this machine alone."`
	Anybody      bool           `help:"With --single-user: serve it on other addresses as well, where whoever can reach it is the user."`
	SignUp       *bool          `negatable:"" help:"Let strangers make accounts for themselves. Default: only where nobody but this machine reaches the website; else \"website users add\" makes them."`
	Guests       int            `default:"10" placeholder:"N" help:"How many new transcripts somebody may have a day without signing in (${default}), and 4 times as many all from one network; 0: none."`
	Host         []string       `placeholder:"NAME" help:"A name by which people reach the website, beside localhost and addresses. May be repeated."`
	HTTPS        bool           `name:"https" help:"People reach the website by https alone, through a proxy in front."`
	TrustedProxy []netip.Prefix `placeholder:"CIDR" help:"A proxy in front of the website, as 10.0.0.0/8 or 127.0.0.1/32: its X-Forwarded-For names the client. May be repeated. Default: none is believed."`
}

// guestPlan is the name of the plan, among those on offer, that guests have.
const guestPlan = "guest"

// check says which flags do not go together.
func (f *visitorFlags) check(listen string) error {
	switch {
	case f.Guests < 0:
		return errors.New("--guests must not be negative")
	case f.Anybody && !f.SingleUser:
		return errors.New("--anybody is for --single-user")
	case f.SingleUser && f.SignUp != nil && *f.SignUp:
		return errors.New("--sign-up: with --single-user nobody signs in")
	case f.SingleUser && !f.Anybody && !loopback(listen):
		return errors.New("--single-user lets in whoever can reach the website: listen on 127.0.0.1, or say --anybody if that is meant")
	}
	return nil
}

// loopback reports whether only this machine reaches an address.
func loopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return false
	}
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.Unmap().IsLoopback()
}

// private reports whether only this machine reaches the website, as far as the flags tell.
func (f *visitorFlags) private(listen string) bool {
	return loopback(listen) && !f.HTTPS && len(f.Host) == 0 && len(f.TrustedProxy) == 0
}

// options are what the flags say of visitors.
func (f *visitorFlags) options(listen, database string, accounts *account.Accounts, plans account.Plans, log *slog.Logger) visitor.Options {
	signUp := f.private(listen)
	if f.SignUp != nil {
		signUp = *f.SignUp
	}
	return visitor.Options{
		Database: database, Accounts: accounts, Keys: server.KeyAuthenticator(accounts, log),
		SingleUser: f.SingleUser, SignUp: signUp, GuestLinks: f.Guests, GuestPlan: plans.ByName[guestPlan],
		Hosts: f.Host, HTTPS: f.HTTPS, TrustedProxies: f.TrustedProxy, Log: log,
	}
}
