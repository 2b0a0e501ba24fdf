package egress

import (
	"fmt"
	"slices"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Use is what a visit wants from a platform.
type Use string

// The uses of an exit.
const (
	Captions Use = "captions" // captions of a content, and facts about the content
	Sound    Use = "sound"    // sound and media files
	Lists    Use = "lists"    // playlists, channels, feeds and searches
)

// Exit is a way out of the deployment, with an address that platforms see. Safe for concurrent use.
type Exit struct {
	name      string
	uses      []Use                 // none: all
	platforms []transcript.Platform // none: all
	proxy     *upstream             // nil: connections are direct
}

// Name returns the name of the exit, which is unique among the guard's exits. The name holds no
// address and no credentials. Without a pool, the only exit is named "direct".
func (e *Exit) Name() string { return e.name }

// Serves reports whether visits for a use on a platform may leave by the exit.
func (e *Exit) Serves(use Use, platform transcript.Platform) bool {
	return (e.uses == nil || slices.Contains(e.uses, use)) &&
		(e.platforms == nil || slices.Contains(e.platforms, platform))
}

// pool is a set of exits, with the addresses that belong to them.
type pool struct {
	exits []*Exit
	deny  []*denied // the proxies themselves
}

// Exits returns the guard's present exits: at least one. A caller may keep an exit that the pool
// has lost, and may finish visits by it. The caller must not change the slice.
func (g *Guard) Exits() []*Exit { return g.pool.exits }

// newPool makes the pool of the configuration.
func newPool(c Config) (*pool, error) {
	p := &pool{}
	for i, at := range c.Proxies {
		up, err := newUpstream(at)
		if err == nil {
			err = p.add(&Exit{name: fmt.Sprintf("proxy-%d", i+1), proxy: up})
		}
		if err != nil {
			return nil, &ConfigError{fmt.Sprintf("Proxies[%d]", i), err} // without the URL, which may hold a password
		}
	}
	if len(p.exits) == 0 {
		p.exits = []*Exit{{name: "direct"}}
	}
	return p, nil
}

// add adds an exit. No link may lead to the exit's proxy.
func (p *pool) add(e *Exit) error {
	if e.proxy != nil {
		t, err := parse(e.proxy.address)
		if err != nil {
			return err
		}
		p.deny = append(p.deny, &denied{target: t})
	}
	p.exits = append(p.exits, e)
	return nil
}
