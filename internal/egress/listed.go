package egress

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// maxExits limits the exits of a configuration.
const maxExits = 1000

// Listed is an exit as the operator describes it.
type Listed struct {
	Name      string                // 1 to 32 letters, digits, dots, dashes and underscores
	Address   string                // the URL of a proxy, with credentials, or an IPv6 prefix of this machine
	ByName    bool                  // the proxy gets names
	Uses      []Use                 // nil means all
	Platforms []transcript.Platform // nil means all
}

var exitName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$`)

// exit checks the operator's description of an exit.
func (l Listed) exit() (*Exit, error) {
	e := &Exit{name: l.Name, byName: l.ByName, uses: l.Uses, platforms: l.Platforms}
	switch {
	case !exitName.MatchString(l.Name):
		return nil, errors.New("name: want 1 to 32 letters, digits, dots, dashes and underscores")
	case l.Uses != nil && len(l.Uses) == 0:
		return nil, errors.New("uses: is empty: leave it out for all uses")
	case l.Platforms != nil && len(l.Platforms) == 0:
		return nil, errors.New("platforms: is empty: leave it out for all platforms")
	}
	for _, use := range l.Uses {
		if use != Captions && use != Sound && use != Lists {
			return nil, fmt.Errorf("uses: %q is none of captions, sound and lists", clip.Text(string(use)))
		}
	}
	for _, platform := range l.Platforms {
		if !slices.Contains(transcript.Platforms(), platform) {
			return nil, fmt.Errorf("platforms: %q is none of %v", clip.Text(string(platform)), transcript.Platforms())
		}
	}
	return e, e.leads(l.Address)
}

// leads reads the address of an exit: the URL of a proxy, or an IPv6 prefix.
func (e *Exit) leads(address string) (err error) {
	if strings.Contains(address, "://") {
		at, err := url.Parse(address)
		if err != nil {
			return errors.New("address: not a URL") // the parser's error may hold the password
		}
		if e.proxy, err = newUpstream(at); err != nil {
			return fmt.Errorf("address: %w", err)
		}
		return nil
	}
	if e.prefix, err = netip.ParsePrefix(address); err != nil || !fitPrefix(e.prefix) {
		return errors.New("address: want the URL of a proxy (http, https or socks5), or an IPv6 prefix of /32 to /128 such as 2001:db8:1:2::/64")
	}
	if e.byName {
		return errors.New("byName: is for proxies: a prefix has none")
	}
	e.prefix = e.prefix.Masked()
	return nil
}
