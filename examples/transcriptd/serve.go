package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

type serveCommand struct {
	database
	Listen  listenAddress  `default:"127.0.0.1:8080" placeholder:"ADDR" help:"Address to listen on (${default}); port 0 takes a free one."`
	Metrics metricsAddress `placeholder:"ADDR" help:"Show /metrics to Prometheus here, as in :9090, beside /healthz and /readyz; without a host, to this machine alone. Default: nowhere."`
	Blobs   blobPlace      `default:"transcriptd-blobs" placeholder:"PLACE" help:"Where uploads and audio are kept until their job ends: a folder (${default}), or s3://BUCKET?OPTION=…, gs://BUCKET or azblob://CONTAINER."`
	plansFlag
	Role         roleFlag  `default:"all" placeholder:"ROLE" help:"What this process does (${default}): api accepts requests and starts no program, worker does the work and listens nowhere but at --metrics. Both want PostgreSQL."`
	TrustedProxy []network `placeholder:"CIDR" help:"A proxy in front of the service, as 10.0.0.0/8 or an address: its X-Forwarded-For names the client. May be repeated. Default: none is believed."`
	FullSync     bool      `help:"Make every commit on SQLite survive a loss of power, at ten times the price."`
	// As long as a load balancer takes to ask /readyz, once or twice.
	DrainDelay time.Duration `default:"5s" placeholder:"DURATION" help:"How long /readyz says 503 draining, while everything still works, before the end (${default}); 0 where nothing stands in front."`
	Log        logFlag       `embed:""`
	recognizerFlags
	linkFlags
	discoveryFlags
}

// Validate is called by the parser.
func (c *serveCommand) Validate() error {
	if c.DrainDelay < 0 {
		return errors.New("--drain-delay must not be negative")
	}
	if c.Role.Role != server.RoleAll && strings.HasPrefix(string(c.DB), "sqlite:") {
		return errors.New("--role: on SQLite one process does everything; name a PostgreSQL database by --db")
	}
	if err := cmp.Or(c.linkFlags.check(), c.discoveryFlags.check()); err != nil || c.Role.Role == server.RoleAPI { // which recognizes nothing
		return err
	}
	return c.recognizerFlags.check()
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

// listenAddress may leave the host out, which means all addresses.
type listenAddress string

// UnmarshalText is called by the parser.
func (a *listenAddress) UnmarshalText(text []byte) error {
	*a = listenAddress(text)
	_, port, err := net.SplitHostPort(string(text))
	if _, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil {
		return fmt.Errorf("%q is not HOST:PORT", text)
	}
	return nil
}

// network is a range of addresses.
type network struct{ netip.Prefix }

// UnmarshalText is called by the parser. An address alone is the range of itself.
func (n *network) UnmarshalText(text []byte) error {
	if a, err := netip.ParseAddr(string(text)); err == nil && a.Zone() == "" {
		n.Prefix = netip.PrefixFrom(a, a.BitLen())
		return nil
	}
	var err error
	if n.Prefix, err = netip.ParsePrefix(string(text)); err != nil {
		return fmt.Errorf("%q is neither a CIDR, such as 10.0.0.0/8, nor an address", text)
	}
	return nil
}

func prefixes(all []network) (plain []netip.Prefix) {
	for _, n := range all {
		plain = append(plain, n.Prefix)
	}
	return plain
}

// byFlag says of a member of the configuration that is wrong which flag it comes from.
func byFlag(err error) error {
	var wrong *server.ConfigError
	switch {
	case !errors.As(err, &wrong):
		return err
	case wrong.Member == "Egress.Allow":
		return &usageError{"--allow-egress", wrong.Err}
	case wrong.Member == "Engine":
		return wrong.Err // it names the program
	}
	return err
}

// Run serves until ctx ends.
func (c *serveCommand) Run(ctx context.Context, out output) error {
	log := c.Log.open(out.Stderr)
	slog.SetDefault(log) // for the lines of libraries
	if err := keepPrivate(); err != nil {
		return fmt.Errorf("closing the process to others: %w", err)
	}
	if c.Role.Role == server.RoleWorker { // no balancer sends it anything
		c.DrainDelay = 0
	}
	options, err := c.options(ctx, log)
	if err != nil {
		return err
	}
	s, err := startService(ctx, options)
	if err != nil {
		return err
	}
	if s.metrics != nil {
		log.Info("showing metrics", "addr", s.metrics.Addr().String())
	}
	if s.listener != nil {
		log.Info("listening", "addr", s.addr())
	} else {
		log.Info("working")
	}
	select {
	case <-ctx.Done():
		log.Info("draining", "delay", c.DrainDelay)
	case err = <-s.failed:
	}
	return errors.Join(err, s.stop())
}

// options are what the flags say, and who recognizes speech.
func (c *serveCommand) options(ctx context.Context, log *slog.Logger) (serviceOptions, error) {
	asr := choice{recognizerFlags: c.recognizerFlags}
	if c.Role.Role != server.RoleAPI { // which recognizes nothing
		var err error
		if asr, err = c.choose(ctx); err != nil {
			return serviceOptions{}, err
		}
	}
	return serviceOptions{
		listen:  string(c.Listen),
		role:    c.Role.Role,
		metrics: c.Metrics,
		store:   store.Options{Database: string(c.DB), Blobs: string(c.Blobs), FullSync: c.FullSync, Log: log},
		plans:   c.offered(),
		asr:     asr,
		links:   c.linkFlags,
		finds:   c.discoveryFlags,
		sites:   c.Sites.Table,
		proxies: prefixes(c.TrustedProxy),
		drain:   c.DrainDelay,
		log:     log,
	}, nil
}

// stopTimeout is how long running requests and steps may take to end, after the
// drain delay. What is left then is taken up by the next start.
const stopTimeout = 20 * time.Second

type serviceOptions struct {
	listen  string // not for a worker
	role    server.Role
	metrics metricsAddress // empty: nowhere
	store   store.Options
	plans   account.Plans
	asr     choice
	links   linkFlags
	finds   discoveryFlags
	sites   *site.Table // nil: the public sites
	proxies []netip.Prefix
	drain   time.Duration
	log     *slog.Logger
}

// config is the server's, but for its store and its engine.
func (o serviceOptions) config() (server.Config, error) {
	own, err := databaseAddresses(o.store.Database)
	if err != nil {
		return server.Config{}, err
	}
	return server.Config{
		Role:  o.role,
		Sites: o.sites,
		Egress: server.Egress{
			Allow: o.links.egress(), Deny: slices.Concat(own, o.asr.addresses(), o.finds.addresses(), blobPlace(o.store.Blobs).addresses()), Proxies: o.links.proxies(),
		},
		TrustedProxies: o.proxies,
		Pace:           pace.Config{Rate: pace.Rate{PerMinute: o.links.Pace}},
		DrainDelay:     o.drain,
		Path:           searchPath(),
		Log:            o.log,
		Version:        version(),
	}, nil
}

// service is a server at work, with what it stands on.
type service struct {
	listener net.Listener     // nil: a worker, which takes no requests
	metrics  *metricsListener // nil: none
	store    *store.Store
	accounts *account.Accounts
	server   *server.Server
	failed   chan error // why it accepts no more requests
	patience time.Duration
}

// startService returns once requests are accepted, or a worker works.
func startService(ctx context.Context, o serviceOptions) (_ *service, err error) {
	s := &service{failed: make(chan error, 2), patience: o.drain + stopTimeout}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.stop())
		}
	}()
	// The ports first: if one is taken nothing else needs to begin.
	if o.role != server.RoleWorker {
		if s.listener, err = new(net.ListenConfig).Listen(ctx, "tcp", o.listen); err != nil {
			return nil, fmt.Errorf("--listen: %w: name another address", err)
		}
	}
	if s.metrics, err = listenForMetrics(ctx, o.metrics); err != nil {
		return nil, err
	}
	if err = blobPlace(o.store.Blobs).make(); err != nil {
		return nil, &usageError{"--blobs", err}
	}
	if s.store, err = openStore(ctx, o.store); err != nil {
		return nil, err
	}
	if s.accounts, err = account.New(s.store, o.plans); err != nil {
		return nil, err
	}
	if err = warnOfPlans(ctx, o.log, s.accounts, o.plans); err != nil {
		return nil, err
	}
	config, err := o.config()
	if err != nil {
		return nil, err
	}
	config.Store, config.Accounts, config.Engine = s.store, s.accounts, engines(ctx, o)
	s.server, err = server.New(ctx, config)
	if err != nil {
		return nil, byFlag(err)
	}
	if err = s.server.Start(ctx); err != nil {
		return nil, err
	}
	s.metrics.serve(s.server, s.failed)
	if s.listener != nil {
		web := s.server.HTTPServer(o.listen)
		go func() {
			if err := web.Serve(s.server.Listener(s.listener)); !errors.Is(err, http.ErrServerClosed) {
				s.failed <- fmt.Errorf("serving: %w", err)
			}
		}()
	}
	return s, nil
}

func (s *service) addr() string { return s.listener.Addr().String() }

// stop lets requests and work come to an end and closes what was opened.
func (s *service) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), s.patience)
	defer cancel()
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
	errs = append(errs, s.metrics.close(ctx))
	if s.store != nil {
		errs = append(errs, s.store.Close())
	}
	return errors.Join(errs...)
}
