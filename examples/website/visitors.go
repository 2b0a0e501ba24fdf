package main

import (
	"errors"
	"net"
	"net/netip"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/server"
)

// visitorFlags configure who may use the website, and how visitors reach it.
type visitorFlags struct {
	SingleUser bool     `help:"No sign-in: there is only one user, and the website is served only to this machine."`
	Anybody    bool     `help:"With --single-user: also serve the website on other addresses. Everyone who can reach it is the user."`
	SignUp     *bool    `negatable:"" help:"Let strangers make accounts. Default: only if no other machine reaches the website; otherwise \"website users add\" makes accounts."`
	Guests     int      `default:"10" placeholder:"N" help:"How many new transcripts a guest may make in a day without signing in (${default}); all guests at one address may make 4 times as many, in one network 6 times, in all 100 times. 0: no guests."`
	Host       []string `placeholder:"NAME" help:"A host name of the website, in addition to localhost and IP addresses. May be repeated."`
	HTTPS      bool     `name:"https" help:"People reach the website only by https, through a proxy in front."`
}

// guestPlan is the name of the guests' plan among the offered plans.
const guestPlan = "guest"

// check refuses contradictory flags.
func (f *visitorFlags) check(served service.Flags) error {
	switch {
	case f.Guests < 0:
		return errors.New("--guests must not be negative")
	case f.Anybody && !f.SingleUser:
		return errors.New("--anybody is for --single-user")
	case f.SingleUser && f.SignUp != nil && *f.SignUp:
		return errors.New("--sign-up: with --single-user there is no sign-in")
	case f.SingleUser && !f.Anybody && !loopback(served.Listen):
		return errors.New("--single-user admits everyone who can reach the website: listen on 127.0.0.1, or add --anybody if that is intended")
	}
	return nil
}

// loopback reports whether only this machine can reach an address.
func loopback(listen service.Address) bool {
	host, _, err := net.SplitHostPort(string(listen))
	if err != nil {
		return false
	}
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.Unmap().IsLoopback()
}

// private reports whether only this machine can reach the website, as far as the flags tell.
func (f *visitorFlags) private(served service.Flags) bool {
	return loopback(served.Listen) && !f.HTTPS && len(f.Host) == 0 && len(served.TrustedProxy) == 0
}

// opensSignUp reports whether strangers may make accounts. If strangers can reach the website,
// they may only if the flag says so.
func (f *visitorFlags) opensSignUp(served service.Flags) bool {
	if f.SignUp != nil {
		return *f.SignUp
	}
	return f.private(served)
}

// options returns the visitors' options from the flags.
func (f *visitorFlags) options(served service.Flags, config server.Config) visitor.Options {
	return visitor.Options{
		Database: string(served.DB), Accounts: config.Accounts, Keys: server.KeyAuthenticator(config.Accounts, config.Log),
		SingleUser: f.SingleUser, SignUp: f.opensSignUp(served), GuestLinks: f.Guests, GuestPlan: served.Offered().ByName[guestPlan],
		Hosts: f.Host, HTTPS: f.HTTPS, Private: f.private(served) || f.SingleUser && !f.Anybody, TrustedProxies: config.TrustedProxies, Log: config.Log,
	}
}
