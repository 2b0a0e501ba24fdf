package server

import (
	"fmt"
	"net/url"
	"slices"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/internal/redact"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Egress says which addresses the service may reach for the links of callers, and how.
// The zero value permits public addresses on the ports 80 and 443, without a proxy.
type Egress struct {
	// Allow lists addresses ("host:port") to which a link may lead although they are
	// private, or on a port other than 80 and 443. The guard compares the host name in
	// the link, not the IP addresses of that name.
	Allow []string
	// Deny lists addresses ("host:port") that the deployment itself uses, such as a
	// recognizer or a database. The guard refuses every link to them. New returns an
	// error if an address is in both Allow and Deny.
	Deny []string
	// Proxies are the proxies through which the service opens links. Each is an http or
	// https URL of a proxy that supports CONNECT, also to port 80, or a socks5 URL. The
	// URL may include credentials. Each proxy is an exit, named proxy-1, proxy-2 and so
	// on. The visits to a platform use the exits in turn. The service asks a proxy for
	// IP addresses that the guard has checked. It reaches the addresses in Allow
	// without a proxy. If both Proxies and Exits are empty, the service connects
	// directly.
	Proxies []*url.URL
	// ProxiesByName makes the service send host names instead of IP addresses to the
	// Proxies, for proxies that filter by name. The guard still looks each name up
	// first, and refuses the name if it refuses one of its addresses. The proxy then
	// looks the name up again, and the guard cannot check the proxy's result.
	ProxiesByName bool
	// Exits are further exits: proxies, and IPv6 prefixes of this machine, at most 1000.
	Exits []Exit
}

// Exit is an address from which a platform sees the service. All connections of a visit
// to a platform take the same exit.
type Exit struct {
	// Name has 1 to 32 letters, digits, dots, dashes and underscores. Logs and metrics
	// show the name, never the address.
	Name string
	// Address is the URL of a proxy (http, https or socks5), which may include
	// credentials, or an IPv6 prefix of this machine (/32 to /128). Each visit takes a
	// random address of the prefix.
	Address string
	// ByName makes the service send host names instead of IP addresses to the proxy, as
	// Egress.ProxiesByName does.
	ByName bool
	// Uses limits the exit to visits for "captions", "sound" or "lists". If Uses is nil,
	// all visits may use the exit.
	Uses []string
	// Platforms limits the exit to visits to these platforms. If Platforms is nil,
	// visits to all platforms may use the exit.
	Platforms []transcript.Platform
}

// Format prints e without the user and password of a proxy.
func (e Exit) Format(s fmt.State, verb rune) {
	type shown Exit // has no methods
	e.Address = redact.URL(e.Address)
	redact.Print(s, verb, shown(e))
}

// Format prints e without the users and passwords of proxies.
func (e Egress) Format(s fmt.State, verb rune) {
	type shown Egress // has no methods
	e.Proxies = slices.Clone(e.Proxies)
	for i, proxy := range e.Proxies {
		e.Proxies[i] = redact.Parsed(proxy)
	}
	e.Exits = slices.Clone(e.Exits)
	for i := range e.Exits {
		e.Exits[i].Address = redact.URL(e.Exits[i].Address)
	}
	redact.Print(s, verb, shown(e))
}

// guardConfig returns what the guard permits.
func (e Egress) guardConfig() egress.Config {
	c := egress.Config{Allow: e.Allow, Deny: e.Deny, Proxies: e.Proxies, ByName: e.ProxiesByName}
	for _, exit := range e.Exits {
		listed := egress.Listed{Name: exit.Name, Address: exit.Address, ByName: exit.ByName, Platforms: exit.Platforms}
		if exit.Uses != nil {
			listed.Uses = []egress.Use{}
		}
		for _, use := range exit.Uses {
			listed.Uses = append(listed.Uses, egress.Use(use))
		}
		c.Exits = append(c.Exits, listed)
	}
	return c
}
