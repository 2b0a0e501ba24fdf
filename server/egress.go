package server

import (
	"fmt"
	"net/url"
	"slices"

	"github.com/transcriptkit/transcriptkit/internal/redact"
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
	// on. The visits to a platform take the exits in turn. The service asks a proxy for
	// IP addresses that the guard has checked. It reaches the addresses in Allow
	// without a proxy. If both Proxies and ExitsFile are empty, the service connects
	// directly.
	Proxies []*url.URL
	// ProxiesByName makes the service send host names instead of IP addresses to the
	// Proxies, for proxies that filter by name. The guard still looks each name up
	// first, and refuses the name if it refuses one of its addresses. The proxy then
	// looks the name up again, and the guard cannot check the proxy's result.
	ProxiesByName bool
	// ExitsFile is the path of a JSON file with further exits: proxies, and IPv6
	// prefixes of this machine. Empty means no file. The service reads the file again
	// when it changes. If the new file is invalid, the service keeps the current exits
	// and logs why. docs/operate describes the file.
	ExitsFile string
}

// Format prints e without the users and passwords of proxies.
func (e Egress) Format(s fmt.State, verb rune) {
	type shown Egress // has no methods
	e.Proxies = slices.Clone(e.Proxies)
	for i, proxy := range e.Proxies {
		e.Proxies[i] = redact.Parsed(proxy)
	}
	redact.Print(s, verb, shown(e))
}
