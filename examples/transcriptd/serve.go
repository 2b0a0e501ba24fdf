package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/transcriptkit/transcriptkit/examples/internal/localservice"
	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine/models"
	"github.com/transcriptkit/transcriptkit/server/store"
)

type serveCommand struct {
	service.Flags
	Metrics metricsAddress `placeholder:"ADDR" help:"Serve /metrics for Prometheus, /healthz and /readyz at this address, as in :9090; without a host, only to this machine. Default: no metrics."`
	Pull    string         `placeholder:"NAME" help:"Download this model of models list at the start, if it is not here. If the download fails, the service starts without the model. Default: serve downloads nothing."`
	Role    roleFlag       `default:"all" placeholder:"ROLE" help:"The role of this process (${default}): api accepts requests and starts no program, worker does the work and listens only at --metrics. Both need PostgreSQL."`
}

// Validate is called by the parser.
func (c *serveCommand) Validate() error {
	if c.Role.Role != server.RoleAll && c.DB.IsFile() {
		return errors.New("--role: on SQLite one process does everything; name a PostgreSQL database by --db")
	}
	if c.Role.Role == server.RoleAPI { // the role api recognizes nothing
		return c.CheckAPI()
	}
	return c.Check()
}

// roleFlag is a value of --role.
type roleFlag struct{ server.Role }

// UnmarshalText is called by the parser.
func (r *roleFlag) UnmarshalText(text []byte) error {
	switch role := server.Role(text); role {
	case "all":
		r.Role = server.RoleAll
	case server.RoleAPI, server.RoleWorker:
		r.Role = role
	default:
		return errors.New("want all, api or worker")
	}
	return nil
}

// Run serves until ctx ends.
func (c *serveCommand) Run(ctx context.Context, out output) error {
	log := c.Log.Open(out.Stderr, slog.LevelInfo)
	slog.SetDefault(log) // for the lines of libraries
	if err := service.KeepPrivate(); err != nil {
		return fmt.Errorf("closing the process to others: %w", err)
	}
	if c.Role.Role == server.RoleWorker { // no load balancer sends it requests
		c.DrainDelay = 0
	}
	socket, err := c.socket() // first, because every program that starts earlier gets a copy
	if err != nil {
		return err
	}
	if err := c.pull(ctx, log); err != nil {
		return err
	}
	setup, err := c.setup(ctx, log)
	if err != nil {
		return err
	}
	s, err := startService(ctx, setup, part{role: c.Role.Role, metrics: c.Metrics, socket: socket})
	if err != nil {
		return err
	}
	if s.metrics != nil {
		log.Info("showing metrics", "addr", s.metrics.Addr().String())
	}
	if c.Role.Role == server.RoleAll {
		s.announce(ctx, log, setup.Flags)
	}
	if s.listener != nil {
		log.Info("listening", "addr", s.addr())
	} else {
		log.Info("working")
	}
	tell(log, tellReady())
	select {
	case <-ctx.Done():
		log.Info("draining", "delay", c.DrainDelay)
	case err = <-s.failed:
	}
	tell(log, tellStopping(s.patience+lastScrape))
	return errors.Join(err, s.stop())
}

// socket returns the socket that systemd has opened for this process, in place of --listen, or
// nil if there is none.
func (c *serveCommand) socket() (net.Listener, error) {
	socket, err := systemdListener()
	if err != nil {
		return nil, &service.FlagError{Flag: "transcriptd.socket", Err: err}
	}
	if socket != nil && c.Role.Role == server.RoleWorker {
		_ = socket.Close() // the error below says more
		return nil, &service.FlagError{Flag: "--role", Err: errors.New("a worker takes no requests, and systemd opens a socket for it: systemctl mask --now transcriptd.socket")}
	}
	return socket, nil
}

// tell logs that systemd cannot be notified. The service works without this, until systemd ends
// it.
func tell(log *slog.Logger, err error) {
	if err != nil {
		log.Warn("systemd does not learn the state of the service", "err", err)
	}
}

// pull downloads the model of --pull. It never asks, because a service may have a terminal
// without a person.
func (c *serveCommand) pull(ctx context.Context, log *slog.Logger) error {
	if c.Pull == "" || c.Role.Role == server.RoleAPI { // the role api recognizes nothing
		return nil
	}
	folder, err := modelsFlag{c.ModelsFlag}.folder()
	if err != nil {
		return err
	}
	plan, err := folder.Plan(ctx, c.Pull, models.Sources{})
	if errors.Is(err, models.ErrUnknown) {
		return &service.FlagError{Flag: "--pull", Err: withNames(err)}
	}
	if err == nil && len(plan.Downloads) > 0 {
		log.Info("pulling a model", "model", c.Pull, "bytes", plan.Left, "into", folder.Dir())
		err = folder.Pull(ctx, plan, nil)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		log.Warn("the model cannot be pulled", "model", c.Pull, "err", withCure(err))
	}
	return nil
}

// setup returns the flags and the chosen recognizer.
func (c *serveCommand) setup(ctx context.Context, log *slog.Logger) (service.Setup, error) {
	if c.Role.Role == server.RoleAPI { // the role api recognizes nothing
		return service.Setup{Flags: c.Flags, Log: log}, nil
	}
	return c.Setup(ctx, log)
}

// stopTimeout is how long running requests and steps may take to end after the drain delay. The
// next start continues unfinished steps.
const stopTimeout = 20 * time.Second

// running is a running server with everything that it uses.
type running struct {
	listener net.Listener     // nil if the process is a worker, which takes no requests
	metrics  *metricsListener // nil means none
	store    *store.Store
	accounts *account.Accounts
	server   *server.Server
	local    *localservice.File // nil if the programs of this user cannot find the service
	failed   chan error         // the reason why it accepts no more requests
	patience time.Duration
}

// part is a task of a process in addition to the setup.
type part struct {
	role          server.Role
	metrics       metricsAddress
	socket        net.Listener         // an open one in place of Listen; nil means none
	authenticator server.Authenticator // nil means the accounts' keys
}

// startService returns once it accepts requests, or a worker works.
func startService(ctx context.Context, setup service.Setup, p part) (_ *running, err error) {
	s := &running{listener: p.socket, failed: make(chan error, 2), patience: setup.DrainDelay + stopTimeout}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.stop())
		}
	}()
	// Open the ports first: if one is taken, nothing else needs to begin.
	if p.role != server.RoleWorker && s.listener == nil {
		if s.listener, err = new(net.ListenConfig).Listen(ctx, "tcp", string(setup.Listen)); err != nil {
			return nil, fmt.Errorf("--listen: %w: name another address", err)
		}
	}
	if s.metrics, err = listenForMetrics(ctx, p.metrics); err != nil {
		return nil, err
	}
	config, err := setup.Open(ctx)
	if err != nil {
		return nil, err
	}
	s.store, s.accounts = config.Store, config.Accounts
	config.Role, config.Authenticator = p.role, p.authenticator
	if s.server, err = server.New(ctx, config); err != nil {
		return nil, service.ByFlag(err)
	}
	if err = s.server.Start(ctx); err != nil {
		return nil, err
	}
	setup.Follow(ctx, s.server)
	s.metrics.serve(s.server, s.failed)
	if s.listener != nil {
		web := s.server.HTTPServer(s.addr())
		go func() {
			if err := web.Serve(s.server.Listener(s.listener)); !errors.Is(err, http.ErrServerClosed) {
				s.failed <- fmt.Errorf("serving: %w", err)
			}
		}()
	}
	return s, nil
}

func (s *running) addr() string { return s.listener.Addr().String() }

// stop waits for running requests and work to end, and closes everything that was opened.
func (s *running) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), s.patience)
	defer cancel()
	if s.server != nil {
		if err := s.server.Stop(ctx); err != nil {
			return err // steps still use the store; the end of the process ends them
		}
	}
	var errs []error
	if s.local != nil {
		errs = append(errs, s.local.Release())
	}
	if s.listener != nil {
		if err := s.listener.Close(); !errors.Is(err, net.ErrClosed) { // Stop closes it if it was served
			errs = append(errs, err)
		}
	}
	errs = append(errs, s.metrics.close(ctx))
	if s.store != nil {
		errs = append(errs, s.store.Close())
	}
	return errors.Join(errs...)
}
