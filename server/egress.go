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
	// credentials included. Each proxy is an exit with the name proxy-1, proxy-2 and so on. A
	// visit to a platform leaves by one exit, and the next visit by another. The service sends
	// the proxies addresses that the guard has checked. The service reaches the addresses in
	// Allow without an exit. With neither Proxies nor ExitsFile, the service connects directly.
	Proxies []*url.URL
	// ProxiesByName sends the Proxies names instead of addresses, for proxies that judge by
	// name. The guard still looks each name up first, and refuses the name if one of its
	// addresses is refused. A proxy looks the name up again: the guard does not see the answer.
	ProxiesByName bool
	// ExitsFile is the path of a JSON file with further exits: proxies, and IPv6 prefixes of this
	// machine. The service reads the file again when the file changes. If the new file is bad,
	// the present exits stay, and the log says why. docs/operate describes the file.
	// Empty: no file.
	ExitsFile string
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
