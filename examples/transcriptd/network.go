package main

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// askPatience limits the wait for the video site's answer by an exit.
const askPatience = 15 * time.Second

const networkName = "network"

// examineNetwork reports the exits to the platforms, and with --network tests them.
func (c *doctorCommand) examineNetwork(ctx context.Context, setup service.Setup) (found []engine.Finding) {
	config, err := setup.Config()
	if err != nil {
		return nil // the examination of the server has reported the reason
	}
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	site := ""
	if c.Network {
		site = setup.VideoSite().Base
	}
	exits, err := config.Egress.TestExits(ctx, site)
	if err != nil {
		return nil // as above
	}
	found = []engine.Finding{examineWebhooks(config.Egress), examineMCP(config.TrustedProxies)}
	if !c.Network {
		ways := fmt.Sprintf("%d exits", len(exits))
		if exits[0].Address == "" {
			ways = "no exits"
		}
		return append(found, engine.Finding{Name: networkName, Status: engine.OK, Found: ways + ", not asked: --network asks"})
	}
	for _, exit := range exits {
		found = append(found, examineExit(exit))
	}
	return found
}

// examineWebhooks reports where the service sends the events of accounts.
func examineWebhooks(e server.Egress) engine.Finding {
	to := "accounts may send events to public addresses on the ports 80 and 443"
	if len(e.Allow) > 0 {
		to += ", and to " + strings.Join(e.Allow, ", ")
	}
	return engine.Finding{Name: "webhooks", Status: engine.OK, Found: to}
}

// examineMCP reports how language models can reach the service.
func examineMCP(trusted []netip.Prefix) engine.Finding {
	by := "at /mcp; a proxy on this machine in front of the service needs --trusted-proxy"
	if len(trusted) > 0 {
		by = "at /mcp, also through the trusted proxies"
	}
	return engine.Finding{Name: "mcp", Status: engine.OK, Found: by}
}

// examineExit reports the video site's answer by an exit.
func examineExit(exit server.ExitHealth) engine.Finding {
	way := "directly"
	if exit.Address != "" {
		way = "by " + exit.Name + ", " + exit.Address
	}
	f := engine.Finding{Name: networkName, Status: engine.Broken, Fails: "links"}
	switch {
	case exit.Err != nil:
		f.Found, f.Cure = way+": "+oneLine(exit.Err), exit.Cure
	case exit.Status == http.StatusTooManyRequests, exit.Status == http.StatusForbidden:
		f.Found, f.Cure = fmt.Sprintf("%s: the video site blocks (status %d)", way, exit.Status), engine.Cure(transcript.IPBlocked)
	default:
		return engine.Finding{Name: networkName, Status: engine.OK, Found: way + ": the video site answers"}
	}
	return f
}
