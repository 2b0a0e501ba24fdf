package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// askPatience bounds the wait for the video site's answer through a proxy.
const askPatience = 15 * time.Second

const networkName = "network"

// examineNetwork reports the connections to the platforms, and with --network tests them.
func (c *doctorCommand) examineNetwork(ctx context.Context, setup service.Setup) []engine.Finding {
	proxies := setup.Proxies()
	if !c.Network {
		ways := "no proxy"
		if len(proxies) > 0 {
			ways = fmt.Sprintf("%d proxies", len(proxies))
		}
		return []engine.Finding{{Name: networkName, Status: engine.OK, Found: ways + ", not asked: --network asks"}}
	}
	if len(proxies) == 0 {
		proxies = append(proxies, nil) // directly
	}
	found := make([]engine.Finding, len(proxies))
	done := make(chan struct{})
	for i, proxy := range proxies {
		go func() {
			found[i] = examineWay(ctx, setup.VideoSite().Base, proxy)
			done <- struct{}{}
		}()
	}
	for range proxies {
		<-done
	}
	return found
}

// examineWay requests the first page of the video site through a proxy; nil: directly.
func examineWay(ctx context.Context, site string, proxy *url.URL) engine.Finding {
	f := engine.Finding{Name: networkName, Status: engine.Broken, Fails: "links"}
	way, cure := "directly", "let this machine reach the network, or name a proxy by --proxy"
	if proxy != nil {
		way = "by " + proxy.Scheme + "://" + proxy.Host // without its password
		cure = "start the proxy, correct its address, user and password, or take it out of --proxy"
	}
	status, err := visit(ctx, site, proxy)
	switch {
	case err != nil:
		f.Found, f.Cure = way+": "+oneLine(err), cure
	case status == http.StatusProxyAuthRequired:
		f.Found, f.Cure = way+": the proxy wants another user and password", cure
	case status == http.StatusTooManyRequests, status == http.StatusForbidden:
		f.Found, f.Cure = fmt.Sprintf("%s: the video site blocks (status %d)", way, status), engine.Cure(transcript.IPBlocked)
	default:
		return engine.Finding{Name: networkName, Status: engine.OK, Found: way + ": the video site answers"}
	}
	return f
}

func visit(ctx context.Context, site string, proxy *url.URL) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	transport := &http.Transport{DisableKeepAlives: true}
	if proxy != nil {
		transport.Proxy = http.ProxyURL(proxy)
	}
	client := &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, site, nil)
	if err != nil {
		return 0, err
	}
	res, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	return res.StatusCode, res.Body.Close()
}
