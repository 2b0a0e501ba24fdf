package server

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// ExitHealth is an exit of the service, with the result of its test.
type ExitHealth struct {
	Name    string // "direct" for the only exit of a service without proxies
	Address string // of the proxy, without credentials, or the IPv6 prefix; empty for a direct connection
	Status  int    // HTTP status of the answer to the test; 0 if there was no answer
	Err     error  // why there was no answer, without credentials; nil if there was one
	Cure    string // what the operator can do about Err
}

// TestExits returns all exits with a test of each: it sends a HEAD request for link through
// the exit, as a visit would. The guard does not check link, because the operator
// chooses it. If link is empty, TestExits tests nothing. The error is a [*ConfigError].
func (e Egress) TestExits(ctx context.Context, link string) (all []ExitHealth, err error) {
	guard, err := newGuard(Config{Egress: e})
	if err != nil {
		return nil, err
	}
	defer func() { _ = guard.Close() }() // the pool has opened nothing
	var testing sync.WaitGroup
	exits := guard.Exits()
	all = make([]ExitHealth, len(exits))
	for i, exit := range exits {
		all[i] = ExitHealth{Name: exit.Name(), Address: exit.Address()}
		if link == "" {
			continue
		}
		testing.Go(func() {
			h := exit.Test(ctx, link)
			all[i].Status, all[i].Err, all[i].Cure = h.Status, h.Err, h.Cure
		})
	}
	testing.Wait()
	return all, nil
}

// examineExits reports each kind of visit that no exit serves.
func examineExits(exits []*egress.Exit) (found []engine.Finding) {
	for _, use := range []egress.Use{egress.Captions, egress.Sound, egress.Lists} {
		var unserved []string
		for _, platform := range transcript.Platforms() {
			serves := func(e *egress.Exit) bool { return e.Serves(use, platform) }
			if platform != transcript.Upload && !slices.ContainsFunc(exits, serves) {
				unserved = append(unserved, string(platform))
			}
		}
		if unserved != nil {
			what := fmt.Sprintf("%s of %s", use, strings.Join(unserved, ", "))
			found = append(found, engine.Finding{
				Name: "exits", Status: engine.Missing, Found: "no exit serves " + what, Fails: what,
				Cure: "let an exit serve them",
			})
		}
	}
	return found
}
