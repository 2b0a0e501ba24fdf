package server

import (
	"fmt"
	"net/url"
	"slices"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/internal/redact"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Egress says what the service may reach on behalf of callers. The zero value: public
// addresses on the ports 80 and 443, without a proxy.
type Egress struct {
	// Allow are addresses ("host:port") that a link may lead to although they are
	// private, or on a port other than 80 and 443. The guard compares the host name in the
	// link, not the addresses of that name.
	Allow []string
	// Deny are addresses ("host:port") that the deployment itself uses: a
	// recognizer, a database. No link ever leads there. An address in both Allow and Deny is an
	// error of New.
	Deny []string
	// Proxies are the deployment's own proxies, by which the service reaches what links lead
	// to: http or https URLs of proxies that support CONNECT, for port 80 too, or socks5 URLs,
	// credentials included. Each proxy is an exit with the name proxy-1, proxy-2 and so on. A
	// visit to a platform leaves by one exit, and the next visit by another. The service sends
	// the proxies addresses that the guard has checked. The service reaches the addresses in
	// Allow without an exit. With neither Proxies nor Exits, the service connects directly.
	Proxies []*url.URL
	// ProxiesByName sends the Proxies names instead of addresses, for proxies that judge by
	// name. The guard still looks each name up first, and refuses the name if one of its
	// addresses is refused. A proxy looks the name up again: the guard does not see the answer.
	ProxiesByName bool
	// Exits are further exits: proxies, and IPv6 prefixes of this machine, at most 1000.
	Exits []Exit
}

// Exit is an address from which platforms see the service. A visit to a platform leaves by one exit
// with all its connections.
type Exit struct {
	// Name is 1 to 32 letters, digits, dots, dashes and underscores. Logs and metrics have the name,
	// and never the address.
	Name string
	// Address is the URL of a proxy (http, https or socks5), credentials included, or an IPv6 prefix
	// of this machine (/32 to /128), of which each visit takes an address by chance.
	Address string
	// ByName sends a proxy names instead of addresses, as Egress.ProxiesByName does.
	ByName bool
	// Uses are the only visits that leave by the exit: "captions", "sound" or "lists"; nil: all.
	Uses []string
	// Platforms are the only platforms that are visited by the exit; nil: all.
	Platforms []transcript.Platform
}

// Format prints the members without the user and password of a proxy.
func (e Exit) Format(s fmt.State, verb rune) {
	type shown Exit // has no methods
	e.Address = redact.URL(e.Address)
	redact.Print(s, verb, shown(e))
}

// Format prints the members without users and passwords of proxies.
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
