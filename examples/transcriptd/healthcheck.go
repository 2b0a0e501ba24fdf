package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
)

type healthcheckCommand struct {
	Listen  service.Address `default:"${listen}" placeholder:"ADDR" help:"The --listen of the service (${default})."`
	Metrics metricsAddress  `placeholder:"ADDR" help:"The --metrics of the service. With --metrics, that address is asked, because a worker listens only there."`
}

// healthTimeout limits the question. /readyz answers within 5 s.
const healthTimeout = 6 * time.Second

// Run asks the service on this machine and prints what /readyz says of it.
func (c *healthcheckCommand) Run(ctx context.Context, out output) error {
	flag, at := "--listen", string(c.Listen)
	if c.Metrics != "" {
		flag, at = "--metrics", string(c.Metrics)
	}
	at, err := dialed(at)
	if err != nil {
		return &service.FlagError{Flag: flag, Err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	said, err := askReadiness(ctx, url.URL{Scheme: "http", Host: at, Path: "/readyz"})
	if err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	fmt.Fprintln(out.Stdout, said)
	return nil
}

// dialed returns the address at which this machine reaches a listener.
func dialed(listen string) (string, error) {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return "", err
	}
	if port == "0" {
		return "", errors.New("port 0 is another port at each start: name the port of the service")
	}
	switch host { // all addresses of the machine; an image has no list of names for localhost
	case "", netip.IPv4Unspecified().String():
		host = "127.0.0.1"
	case netip.IPv6Unspecified().String():
		host = netip.IPv6Loopback().String()
	}
	return net.JoinHostPort(host, port), nil
}

// askReadiness returns what /readyz says. The error says why the service is not ready.
func askReadiness(ctx context.Context, at url.URL) (said string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return "", err
	}
	client := http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true}, // and no proxy
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	res, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close() //nolint:errcheck // the body has been read
	var body struct {
		Status string
		Checks map[string]string
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(&body); err != nil || body.Status == "" {
		return "", fmt.Errorf("%s answers %d and is not the service: name the address of the service", at.String(), res.StatusCode)
	}
	said = body.Status
	for _, check := range slices.Sorted(maps.Keys(body.Checks)) {
		if !strings.HasPrefix(body.Checks[check], "ok") {
			said += "; " + check + ": " + body.Checks[check]
		}
	}
	if res.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the service is not ready: %s", said)
	}
	return said, nil
}
