package main

import (
	"context"
	"errors"
	"net"
	"strconv"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
)

// demoFlag decides whether the website offers demonstration talks.
type demoFlag struct {
	Demo bool `default:"true" negatable:"" help:"Offer a short talk to try the website with, without internet. Only if no other machine reaches the website."`
}

// serveTalks serves the demonstration talks next to the website, and lets links lead to them.
// If possible it uses the port after the website's, so that links to the talks, which are saved
// with their texts, stay valid.
func serveTalks(ctx context.Context, setup *service.Setup) (*service.Talks, error) {
	_, port, _ := net.SplitHostPort(string(setup.Listen)) // the address has been checked
	n, _ := strconv.Atoi(port)                            // as above
	if n != 0 {
		n++
	}
	site, err := service.ServeTalks(ctx, net.JoinHostPort("127.0.0.1", strconv.Itoa(n)))
	if err != nil {
		site, err = service.ServeTalks(ctx, "127.0.0.1:0")
	}
	if err != nil {
		return nil, err
	}
	if err := setup.Include(site); err != nil {
		return nil, errors.Join(err, site.Close())
	}
	return site, nil
}
