package egress

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Use is the purpose of a visit to a platform.
type Use string

// The uses of an exit.
const (
	Captions Use = "captions" // captions of a content, and facts about the content
	Sound    Use = "sound"    // sound and media files
	Lists    Use = "lists"    // playlists, channels, feeds and searches
)

// Exit is a way out of the deployment, with an address that platforms see. It is safe for
// concurrent use.
type Exit struct {
	name      string
	uses      []Use                 // nil means all
	platforms []transcript.Platform // nil means all
	proxy     *upstream             // nil means that connections are direct
	byName    bool                  // the proxy gets host names
	prefix    netip.Prefix          // connections come from its addresses; zero means from the machine's address
}

// Name returns the name of the exit, which is unique among the guard's exits. The name holds no
// address and no credentials. Without a pool, the only exit is named "direct".
func (e *Exit) Name() string { return e.name }

// Serves reports whether visits for a use on a platform may leave by the exit.
func (e *Exit) Serves(use Use, platform transcript.Platform) bool {
	return (e.uses == nil || slices.Contains(e.uses, use)) &&
		(e.platforms == nil || slices.Contains(e.platforms, platform))
}

// servesAll reports whether the exit serves all visits.
func (e *Exit) servesAll() bool { return e.uses == nil && e.platforms == nil }

// pool is a set of exits, with the addresses that belong to them. It never changes.
type pool struct {
	exits  []*Exit
	direct bool      // the only exit is the machine's own address
	open   []*Exit   // for connections outside a visit: the exits that serve all, or else all exits
	deny   []*denied // the deployment's own addresses, with the proxies
}

// Exits returns the guard's current exits: at least one. A caller may keep an exit that the pool
// has lost, and may finish visits by it. The caller must not change the slice.
func (g *Guard) Exits() []*Exit { return g.pool.Load().exits }

// newPool makes the pool of the configuration. Every error is a *ConfigError.
func newPool(c Config) (*pool, error) {
	p := &pool{}
	for _, address := range c.Deny {
		t, err := parse(address)
		if err != nil {
			return nil, &ConfigError{"Deny", fmt.Errorf("%q: %w", clip.Text(address), err)}
		}
		p.deny = append(p.deny, &denied{target: t})
	}
	for i, at := range c.Proxies {
		up, err := newUpstream(at)
		if err == nil {
			err = p.add(&Exit{name: fmt.Sprintf("proxy-%d", i+1), proxy: up, byName: c.ByName})
		}
		if err != nil {
			return nil, &ConfigError{fmt.Sprintf("Proxies[%d]", i), err} // without the URL, which may hold a password
		}
	}
	if len(c.Exits) > maxExits {
		return nil, &ConfigError{"Exits", fmt.Errorf("exits: want at most %d exits", maxExits)}
	}
	for i, listed := range c.Exits {
		e, err := listed.exit()
		if err != nil {
			return nil, &ConfigError{"Exits", fmt.Errorf("exits[%d].%w", i, err)}
		}
		if err := p.add(e); err != nil {
			return nil, &ConfigError{"Exits", fmt.Errorf("exits[%d].%w", i, err)}
		}
	}
	if len(p.exits) == 0 {
		p.exits, p.direct = []*Exit{{name: "direct"}}, true
	}
	for _, e := range p.exits {
		if e.servesAll() {
			p.open = append(p.open, e)
		}
	}
	if p.open == nil {
		p.open = p.exits
	}
	return p, nil
}

// add adds an exit. No link may lead to the exit's proxy.
func (p *pool) add(e *Exit) error {
	if slices.ContainsFunc(p.exits, func(other *Exit) bool { return other.name == e.name }) {
		return fmt.Errorf("name: another exit is named %q too", e.name)
	}
	if e.proxy != nil {
		t, err := parse(e.proxy.address)
		if err != nil {
			return fmt.Errorf("address: %w", err)
		}
		p.deny = append(p.deny, &denied{target: t, ofExit: true})
	}
	p.exits = append(p.exits, e)
	return nil
}

// holds returns the prefix of an exit that contains an address. All addresses of such a prefix
// belong to this machine.
func (p *pool) holds(ip netip.Addr) (netip.Prefix, bool) {
	for _, e := range p.exits {
		if e.prefix.IsValid() && e.prefix.Contains(ip) {
			return e.prefix, true
		}
	}
	return netip.Prefix{}, false
}
