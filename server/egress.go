package server

import (
	"fmt"
	"net/url"
	"slices"

	"github.com/transcriptkit/transcriptkit/internal/redact"
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
	// credentials included. None: the service connects directly. The service uses the proxies
	// in turn, and sends them addresses that the guard has checked, never names. The service
	// reaches the addresses in Allow without a proxy.
	Proxies []*url.URL
}

// Format prints the members without users and passwords of proxies.
func (e Egress) Format(s fmt.State, verb rune) {
	type shown Egress // has no methods
	e.Proxies = slices.Clone(e.Proxies)
	for i, proxy := range e.Proxies {
		e.Proxies[i] = redact.Parsed(proxy)
	}
	redact.Print(s, verb, shown(e))
}
