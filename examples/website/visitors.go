package main

import (
	"errors"
	"net"
	"net/netip"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/server"
)

// visitorFlags say who may use the website, and by which name and way they reach it.
type visitorFlags struct {
	SingleUser bool     `help:"No sign-in: everything belongs to whoever opens the page, which is served to this machine alone."`
	Anybody    bool     `help:"With --single-user: serve it on other addresses as well, where whoever can reach it is the user."`
	SignUp     *bool    `negatable:"" help:"Let strangers make accounts for themselves. Default: only where nobody but this machine reaches the website; else \"website users add\" makes them."`
	Guests     int      `default:"10" placeholder:"N" help:"How many new transcripts somebody may have a day without signing in (${default}), 4 times as many all from one address, 6 times from one network, 100 times in all; 0: none."`
	Host       []string `placeholder:"NAME" help:"A name by which people reach the website, beside localhost and addresses. May be repeated."`
	HTTPS      bool     `name:"https" help:"People reach the website by https alone, through a proxy in front."`
}

// guestPlan is the name of the plan, among those on offer, that guests have.
const guestPlan = "guest"

// check says which flags do not go together.
func (f *visitorFlags) check(served service.Flags) error {
	switch {
	case f.Guests < 0:
		return errors.New("--guests must not be negative")
	case f.Anybody && !f.SingleUser:
		return errors.New("--anybody is for --single-user")
	case f.SingleUser && f.SignUp != nil && *f.SignUp:
		return errors.New("--sign-up: with --single-user nobody signs in")
	case f.SingleUser && !f.Anybody && !loopback(served.Listen):
		return errors.New("--single-user lets in whoever can reach the website: listen on 127.0.0.1, or say --anybody if that is meant")
	}
	return nil
}

// loopback reports whether only this machine reaches an address.
func loopback(listen service.Address) bool {
	host, _, err := net.SplitHostPort(string(listen))
	if err != nil {
		return false
	}
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.Unmap().IsLoopback()
}

// private reports whether only this machine reaches the website, as far as the flags tell.
func (f *visitorFlags) private(served service.Flags) bool {
	return loopback(served.Listen) && !f.HTTPS && len(f.Host) == 0 && len(served.TrustedProxy) == 0
}

// opensSignUp reports whether strangers make accounts: where they reach the website, only
// if that was said.
func (f *visitorFlags) opensSignUp(served service.Flags) bool {
	if f.SignUp != nil {
		return *f.SignUp
	}
	return f.private(served)
}

// options are what the flags say of visitors.
func (f *visitorFlags) options(served service.Flags, config server.Config) visitor.Options {
	return visitor.Options{
		Database: string(served.DB), Accounts: config.Accounts, Keys: server.KeyAuthenticator(config.Accounts, config.Log),
		SingleUser: f.SingleUser, SignUp: f.opensSignUp(served), GuestLinks: f.Guests, GuestPlan: served.Offered().ByName[guestPlan],
		Hosts: f.Host, HTTPS: f.HTTPS, Private: f.private(served) || f.SingleUser && !f.Anybody, TrustedProxies: config.TrustedProxies, Log: config.Log,
	}
}
