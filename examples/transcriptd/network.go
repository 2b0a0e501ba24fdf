package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// askPatience bounds the wait for the video site's answer by an exit.
const askPatience = 15 * time.Second

const networkName = "network"

// examineNetwork reports the exits to the platforms, and with --network tests them.
func (c *doctorCommand) examineNetwork(ctx context.Context, setup service.Setup) []engine.Finding {
	guard, err := setup.Guard()
	if err != nil {
		return nil // the server's own examination has told why
	}
	defer func() { _ = guard.Close() }() // it has worked
	exits := guard.Exits()
	found := examineExits(exits, string(setup.Exits))
	if !c.Network {
		ways := fmt.Sprintf("%d exits", len(exits))
		if exits[0].Address() == "" {
			ways = "no proxy"
		}
		return append(found, engine.Finding{Name: networkName, Status: engine.OK, Found: ways + ", not asked: --network asks"})
	}
	tested := make([]engine.Finding, len(exits))
	var testing sync.WaitGroup
	for i, exit := range exits {
		testing.Go(func() { tested[i] = examineExit(ctx, setup.VideoSite().Base, exit) })
	}
	testing.Wait()
	return append(found, tested...)
}

// examineExits reports what the exits do not serve, and a file of exits that is open to every user.
func examineExits(exits []*egress.Exit, file string) (found []engine.Finding) {
	if info, err := os.Stat(file); err == nil && egress.ReadableByAll(info) {
		found = append(found, engine.Finding{
			Name: networkName, Status: engine.Missing, Found: "every user of this machine can read " + file,
			Fails: "the secrecy of the passwords in the file", Cure: "chmod o-r " + file,
		})
	}
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
				Name: networkName, Status: engine.Missing, Found: "no exit serves " + what, Fails: what, Cure: "let an exit in " + file + " serve them",
			})
		}
	}
	return found
}

// examineExit requests the first page of the video site by an exit.
func examineExit(ctx context.Context, site string, exit *egress.Exit) engine.Finding {
	way := "directly"
	if at := exit.Address(); at != "" {
		way = "by " + exit.Name() + ", " + at
	}
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	h := exit.Test(ctx, site)
	f := engine.Finding{Name: networkName, Status: engine.Broken, Fails: "links"}
	switch {
	case h.Err != nil:
		f.Found, f.Cure = way+": "+oneLine(h.Err), h.Cure
	case h.Status == http.StatusTooManyRequests, h.Status == http.StatusForbidden:
		f.Found, f.Cure = fmt.Sprintf("%s: the video site blocks (status %d)", way, h.Status), engine.Cure(transcript.IPBlocked)
	default:
		return engine.Finding{Name: networkName, Status: engine.OK, Found: way + ": the video site answers"}
	}
	return f
}
