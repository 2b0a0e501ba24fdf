package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/page"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ffmpeg"
	"github.com/transcriptkit/transcriptkit/server/engine/pocketsphinx"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp"
	"github.com/transcriptkit/transcriptkit/server/store"
)

type serveCommand struct {
	Listen string `default:"127.0.0.1:8082" placeholder:"ADDR" help:"Address to listen on (${default}); port 0 takes a free one."`
	DB     string `name:"db" default:"sqlite:website.db" placeholder:"DATABASE" help:"Where everything is kept: sqlite:PATH or a postgres:// URL (${default})."`
	Blobs  string `default:"website-blobs" placeholder:"PLACE" help:"Where uploads and audio are kept until their job ends (${default})."`
	visitorFlags
}

// Validate is called by the parser.
func (c *serveCommand) Validate() error { return c.check(c.Listen) }

// Run serves until ctx ends.
func (c *serveCommand) Run(ctx context.Context, out output) error {
	log := slog.New(slog.NewTextHandler(out.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
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

// stopTimeout is how long running requests and steps may take to end. What is left then
// is taken up by the next start.
const stopTimeout = 20 * time.Second

// website is the program at work, with what it stands on.
type website struct {
	listener net.Listener
	store    *store.Store
	visitors *visitor.Visitors
	server   *server.Server
	web      *http.Server
	failed   chan error // why it accepts no more requests

	endSweeping func() // nil: it has not begun
}

// startSite returns once requests are accepted.
func startSite(ctx context.Context, c *serveCommand, log *slog.Logger) (_ *website, err error) {
	s := &website{failed: make(chan error, 1)}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.stop())
		}
	}()
	if s.listener, err = new(net.ListenConfig).Listen(ctx, "tcp", c.Listen); err != nil {
		return nil, fmt.Errorf("--listen: %w: name another address", err)
	}
	if s.store, err = store.Open(ctx, store.Options{Database: c.DB, Blobs: c.Blobs, Log: log}); err != nil {
		return nil, err
	}
	accounts, err := account.New(s.store, account.DefaultPlans())
	if err != nil {
		return nil, err
	}
	if s.visitors, err = visitor.New(ctx, c.visitorFlags.options(c.Listen, c.DB, accounts, account.DefaultPlans(), log)); err != nil {
		return nil, err
	}
	if s.server, err = server.New(ctx, server.Config{
		Store: s.store, Accounts: accounts, Authenticator: s.visitors, Admit: s.visitors.Admit, TrustedProxies: c.TrustedProxy, Log: log,
		Engine: func(h engine.Host) (engine.Engine, error) {
			links, err := ytdlp.New(h, ytdlp.Options{Log: log})
			return engine.Engine{
				Captions: []engine.CaptionSource{links}, Lists: links, Discovery: links, Audio: links,
				Media: ffmpeg.New(h), Recognizer: pocketsphinx.New(h),
			}, err
		},
	}); err != nil {
		return nil, err
	}
	permitted := s.visitors.Permit(s.server)
	pages, err := page.New(page.Options{API: permitted, Visitors: s.visitors, Accounts: accounts, Log: log})
	if err != nil {
		return nil, err
	}
	if err = s.server.Start(ctx); err != nil {
		return nil, err
	}
	s.web = s.server.HTTPServer(c.Listen)
	s.web.Handler = routes(s.server.Handler(), s.visitors.Identify, permitted, pages)
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

// routes are all that the website answers: the API as it is, for programs with keys; the
// API once more under /web, for the pages, on behalf of who uses them; and the pages.
func routes(api http.Handler, identify func(http.Handler) http.Handler, permitted, pages http.Handler) http.Handler {
	all := http.NewServeMux()
	for _, own := range []string{"/v1/", "/docs", "/docs/", "/healthz", "/readyz"} {
		all.Handle(own, api)
	}
	all.Handle("/web/v1/", identify(http.StripPrefix("/web", permitted)))
	all.Handle("/", identify(pages))
	return all
}

// keepSweeping removes what guests leave behind, until stop.
func (s *website) keepSweeping() error {
	api, err := page.InProcess(s.server.Handler())
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

// stop lets requests and work come to an end and closes what was opened.
func (s *website) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
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
	if s.visitors != nil {
		errs = append(errs, s.visitors.Close())
	}
	if s.store != nil {
		errs = append(errs, s.store.Close())
	}
	return errors.Join(errs...)
}
