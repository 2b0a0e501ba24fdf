package main

import (
	"context"
	"errors"
	"net"
	"strconv"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/examples/internal/talks"
)

// demoFlag says whether there is something to try the website with.
type demoFlag struct {
	Demo bool `default:"true" negatable:"" help:"Offer a short talk to try the website with, which needs no internet: where nobody but this machine reaches the website."`
}

// serveTalks serves the talks to try the website with, beside it, and lets links lead to
// them. Where it can, it takes the port after the website's: links to the talks, which
// are kept with their texts, then last.
func serveTalks(ctx context.Context, setup *service.Setup) (*talks.Site, error) {
	_, port, _ := net.SplitHostPort(string(setup.Listen)) // it has been checked
	n, _ := strconv.Atoi(port)                            // as above
	if n != 0 {
		n++
	}
	site, err := talks.Serve(ctx, net.JoinHostPort("127.0.0.1", strconv.Itoa(n)))
	if err != nil {
		site, err = talks.Serve(ctx, "127.0.0.1:0")
	}
	if err != nil {
		return nil, err
	}
	if err := setup.Include(site); err != nil {
		return nil, errors.Join(err, site.Close())
	}
	return site, nil
}
