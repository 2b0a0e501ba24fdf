package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/transcriptkit/transcriptkit/examples/internal/doctor"
	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/page"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/store"
)

type serveCommand struct {
	service.Flags
	LogLevel slog.Level `default:"error" placeholder:"LEVEL" help:"The lowest level that is logged (${default}): debug, info, which shows each request, warn or error."`
	visitorFlags
	demoFlag
}

// Validate is called by the parser.
func (c *serveCommand) Validate() error {
	return cmp.Or(c.Check(), c.check(c.Flags))
}

// Run serves until ctx ends.
func (c *serveCommand) Run(ctx context.Context, out output) error {
	log := c.Log.Open(out.Stderr, c.LogLevel)
	slog.SetDefault(log) // for the lines of libraries
	if err := service.KeepPrivate(); err != nil {
		return fmt.Errorf("closing the process to others: %w", err)
	}
	s, err := startSite(ctx, c, log)
	if err != nil {
		return err
	}
	fmt.Fprintf(out.Stdout, "The website is at %s\n", s.address())
	select {
	case <-ctx.Done():
	case err = <-s.failed:
	}
	return errors.Join(err, s.stop())
}

// stopTimeout is how long running requests and steps may take to end. The next start continues
// unfinished steps.
const stopTimeout = 20 * time.Second

// website is the running program with everything that it uses.
type website struct {
	listener net.Listener
	talks    *service.Talks // nil: none
	store    *store.Store
	visitors *visitor.Visitors
	server   *server.Server
	web      *http.Server
	failed   chan error // the reason why it accepts no more requests
	patience time.Duration

	endSweeping func() // nil: sweeping has not begun
}

// startSite returns once it accepts requests.
func startSite(ctx context.Context, c *serveCommand, log *slog.Logger) (_ *website, err error) {
	s := &website{failed: make(chan error, 1), patience: c.DrainDelay + stopTimeout}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.stop())
		}
	}()
	if s.listener, err = new(net.ListenConfig).Listen(ctx, "tcp", string(c.Listen)); err != nil {
		return nil, fmt.Errorf("--listen: %w: name another address", err)
	}
	setup, err := c.Setup(ctx, log)
	if err != nil {
		return nil, err
	}
	shown := web.Options{Log: log}
	if c.Demo && c.private(c.Flags) {
		if s.talks, err = serveTalks(ctx, &setup); err != nil {
			return nil, fmt.Errorf("--demo: %w: --no-demo turns the demo off", err)
		}
		shown.Example = s.talks.Link()
		if setup.Speech.ASR.Name != service.ASRNone {
			shown.Uncaptioned = s.talks.Recording()
		}
	}
	config, err := setup.Open(ctx)
	if err != nil {
		return nil, err
	}
	s.store = config.Store
	if s.visitors, err = visitor.New(ctx, c.options(c.Flags, config)); err != nil {
		return nil, err
	}
	config.Authenticator, config.Admit = s.visitors, s.visitors.Admit
	if s.server, err = server.New(ctx, config); err != nil {
		return nil, service.ByFlag(err)
	}
	permitted := s.visitors.Permit(s.server)
	shown.API, shown.Visitors, shown.Accounts, shown.Sites = permitted, s.visitors, config.Accounts, config.Sites
	shown.Export, shown.Remove = exportFrom(s.server), removeFrom(s.server)
	shown.Status, shown.Plans = s.server.Status, slices.Sorted(maps.Keys(c.Offered().ByName))
	shown.Examine = func(ctx context.Context) ([]engine.Finding, error) { return doctor.Examine(ctx, setup) }
	pages, err := page.New(shown)
	if err != nil {
		return nil, err
	}
	if err = s.server.Start(ctx); err != nil {
		return nil, err
	}
	setup.Follow(ctx, s.server)
	s.web = s.server.HTTPServer(string(c.Listen))
	s.web.Handler = routes(s.server, s.visitors.Identify, permitted, pages)
	if err = s.keepSweeping(); err != nil {
		return nil, err
	}
	go func() {
		if err := s.web.Serve(s.server.Listener(s.listener)); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- fmt.Errorf("serving: %w", err)
		}
	}()
	return s, nil
}

// exportFrom returns what web.Options.Export does.
func exportFrom(s *server.Server) func(context.Context, string, io.Writer) error {
	return func(ctx context.Context, account string, w io.Writer) error {
		_, err := s.ExportAccount(ctx, account, w, server.ExportOptions{})
		return err
	}
}

// removeFrom returns what web.Options.Remove does. A removal goes on when its request ends.
func removeFrom(s *server.Server) func(context.Context, string) error {
	return func(ctx context.Context, account string) error {
		_, err := s.RemoveAccount(context.WithoutCancel(ctx), account)
		return err
	}
}

// routes returns the website's handler: the API itself, for programs with keys; the API again
// under /web, for the pages, on behalf of their users; and the pages. Strangers can make accounts,
// so all requests are bounded by address, those of accounts too. Only the health of the service
// always answers.
func routes(s *server.Server, identify func(http.Handler) http.Handler, permitted, pages http.Handler) http.Handler {
	api, bounded := s.Handler(), http.NewServeMux()
	for _, own := range []string{"/v1/", "/docs/openapi.json"} {
		bounded.Handle(own, api)
	}
	bounded.Handle("/web/v1/", identify(http.StripPrefix("/web", permitted)))
	bounded.Handle("/", identify(pages))
	all := http.NewServeMux()
	all.Handle("/healthz", api)
	all.Handle("/readyz", api)
	all.Handle("/", s.Bounded(bounded))
	return all
}

// keepSweeping removes the data of former guests, until stop.
func (s *website) keepSweeping() error {
	api, err := web.InProcess(s.server.Handler())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	swept := make(chan struct{})
	go func() { defer close(swept); s.visitors.KeepSweeping(ctx, api) }()
	s.endSweeping = func() { cancel(); <-swept }
	return nil
}

func (s *website) address() string { return "http://" + s.listener.Addr().String() + "/" }

// stop waits for running requests and work to end, and closes everything that was opened.
func (s *website) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), s.patience)
	defer cancel()
	if s.endSweeping != nil {
		s.endSweeping()
	}
	if s.server != nil {
		if err := s.server.Stop(ctx); err != nil {
			return err // steps still run, on the store too: the end of the process ends them
		}
	}
	var errs []error
	if s.listener != nil {
		if err := s.listener.Close(); !errors.Is(err, net.ErrClosed) { // Stop has closed it, if it was served
			errs = append(errs, err)
		}
	}
	if s.talks != nil {
		errs = append(errs, s.talks.Close())
	}
	if s.visitors != nil {
		errs = append(errs, s.visitors.Close())
	}
	if s.store != nil {
		errs = append(errs, s.store.Close())
	}
	return errors.Join(errs...)
}
