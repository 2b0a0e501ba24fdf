package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/internal/scratch"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/api"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/pipeline"
	"github.com/transcriptkit/transcriptkit/server/internal/shortlink"
)

// Bounds of every connection.
const (
	maxHeaderBytes    = 64 << 10
	readHeaderTimeout = 10 * time.Second
	idleTimeout       = 2 * time.Minute
)

// Server is the service. Its handlers answer from New on; work is done between
// Start and Stop. Safe for concurrent use.
type Server struct {
	cfg        Config
	db         *db.Store
	pipeline   *pipeline.Pipeline
	metrics    *metrics.Metrics
	guard      *egress.Guard
	shortLinks *shortlink.Follower
	scratch    *scratch.Dir // nil where no work is done
	api        *api.API
	edge       *edge.Edge
	lifetime   *edge.Lifetime

	unconfined error // why the kernel does not hold programs to the guard; nil: it does

	release func() error // of the store; nil unless started

	webMu sync.Mutex
	web   []*http.Server // those that HTTPServer has made

	// See Stop.
	stopOnce sync.Once
	drained  time.Time     // when no more requests are taken
	turn     chan struct{} // holds a value while a call of Start or Stop is at work
	stopped  bool
}

// Format prints a Server, under every verb, as its name alone. A Server holds secrets, and
// what it holds changes while it serves.
func (s *Server) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "server.Server") } // as fmt, which has no place to report an error

// New checks the configuration and makes a server. A *ConfigError names the member
// that is wrong. A server that is not started must be stopped nevertheless, as
// it has a directory.
func New(ctx context.Context, c Config) (_ *Server, err error) {
	c, err = c.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Server{
		cfg: c, db: db.Of(c.Store), metrics: metrics.New(c.Version),
		lifetime: edge.NewLifetime(), turn: make(chan struct{}, 1),
	}
	s.edge, err = edge.New(edge.Config{
		Store: s.db, Metrics: s.metrics, Log: c.Log, Authenticator: c.Authenticator, TrustedProxies: c.TrustedProxies,
		Lifetime: s.lifetime, BodyBytes: c.Limits.BodyBytes, AnswerBytes: c.answerBytes,
	})
	if err != nil {
		return nil, err
	}
	if folders := s.db.Folders(); c.Role != RoleAll && len(folders) > 0 {
		c.Log.Warn("blobs are kept in a local folder: the other processes must see the same one", "dir", folders[0])
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if s.guard, err = newGuard(c); err != nil {
		return nil, err
	}
	s.shortLinks = &shortlink.Follower{Sites: c.Sites, Client: s.guard.Client}
	work := pipeline.Config{
		Store:            s.db,
		Sites:            c.Sites,
		ShortLinks:       s.shortLinks,
		Idle:             c.Role == RoleAPI,
		Pace:             c.Pace,
		Log:              c.Log,
		Metrics:          s.metrics,
		Tracer:           c.Tracer,
		ASRWorkers:       c.Limits.ASRWorkers,
		MaxMediaDuration: c.Limits.MaxMediaDuration,
		MinFreeDisk:      c.Limits.MinFreeDisk,
		ProgressInterval: c.progressInterval,
		LookupBudget:     c.lookupBudget,
		Hooks:            c.hooks(),
		DiscoveryBudget:  c.discoveryBudget,
		Retention:        c.retention,
	}
	if !work.Idle {
		if s.scratch, err = scratch.New(c.Dir); err != nil {
			return nil, &ConfigError{"Dir", err}
		}
		work.Dir = s.scratch.Path()
		if work.Engine, err = s.makeEngine(); err != nil {
			return nil, err
		}
	}
	if s.pipeline, err = pipeline.New(work); err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	s.metrics.WatchStore(s.db, pipeline.Queues())
	s.metrics.WatchMachine(s.pipeline.FreeDisk, s.pipeline.OpenCircuits)
	s.api = api.New(api.Config{
		Edge: s.edge, Lifetime: s.lifetime, Pipeline: s.pipeline, Store: s.db, Metrics: s.metrics, Log: c.Log,
		Sites: c.Sites, ShortLinks: s.shortLinks, Admit: c.admit(), BasePath: c.BasePath, Version: c.Version, Unconfined: func() error { return s.unconfined },
		ExportPatience: c.exportPatience, Timeout: c.timeout,
	})
	return s, nil
}

// newGuard makes the guard through which links are opened.
func newGuard(c Config) (*egress.Guard, error) {
	guard, err := egress.New(egress.Config{Allow: c.Egress.Allow, Deny: c.Egress.Deny, Proxies: c.Egress.Proxies, Log: c.Log})
	if wrong := (*egress.ConfigError)(nil); errors.As(err, &wrong) {
		return nil, &ConfigError{"Egress." + wrong.Member, wrong.Err}
	}
	if err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	return guard, nil
}

func (s *Server) makeEngine() (engine.Engine, error) {
	programs, err := run.New(run.Config{Dir: s.scratch.Path(), Path: s.cfg.Path, Guard: s.guard})
	if err != nil {
		return engine.Engine{}, fmt.Errorf("server: %w", err)
	}
	if s.unconfined = programs.Confined(); s.unconfined != nil {
		s.cfg.Log.Warn("programs are not confined", "err", s.unconfined)
	}
	if programs.AsRoot() {
		s.cfg.Log.Warn("the service and its programs run as root, and need not", "cure", engine.CureRoot)
	}
	if !programs.EndsAll() {
		s.cfg.Log.Warn("what a program starts may outlive the service: the system grants it no PID namespaces")
	}
	return newEngine(s.cfg, programs, s.guard, s.scratch.Path())
}

// newEngine makes the engine on a host that runs programs and has a folder.
func newEngine(c Config, programs *run.Runner, guard *egress.Guard, dir string) (engine.Engine, error) {
	eng, err := c.Engine(engine.Host{
		HTTP: guard.Client(), Programs: programs, Confined: programs.Confined() == nil, Judge: guard.JudgeLink, Dir: dir,
	})
	if err != nil {
		return engine.Engine{}, &ConfigError{"Engine", err}
	}
	return eng, nil
}

// Start takes up the work. On SQLite it returns store.ErrServed when another
// process serves the same file. A server is started once, and not after Stop,
// which has given back what it needs.
func (s *Server) Start(ctx context.Context) error {
	if err := s.takeTurn(ctx); err != nil {
		return fmt.Errorf("server: start: %w", err)
	}
	defer s.giveTurn()
	if s.lifetime.Draining() {
		return errors.New("server: start: Stop has been called: make another server")
	}
	release, err := s.db.Serve(ctx)
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	if err := s.pipeline.Start(ctx); err != nil {
		return errors.Join(fmt.Errorf("server: %w", err), release())
	}
	s.release = release
	return nil
}

// close gives back what New has taken.
func (s *Server) close() error {
	var errs []error
	if s.guard != nil {
		errs = append(errs, s.guard.Close())
	}
	if s.scratch != nil {
		errs = append(errs, s.scratch.Remove())
	}
	return errors.Join(errs...)
}

// HTTPServer is an http.Server for the whole API with bounds on what a
// connection may cost: header size, the time a header may take, idle time; and on
// their number: of more than 2,000 the one that has waited longest for a request is
// closed, or the newest where none waits. A server of your own has none of these
// bounds; golang.org/x/net/netutil.LimitListener is one for its listener.
//
// There is no bound on the time of an answer, which would cut event streams off;
// the handlers set their own. Stop shuts the server down: ListenAndServe then
// returns http.ErrServerClosed at once, before Stop has done its work. With
// Listener in front of its listener, what net/http refuses by itself has the API's
// form too.
func (s *Server) HTTPServer(addr string) *http.Server {
	web := &http.Server{
		Addr:              addr,
		Handler:           s.Handler(),
		MaxHeaderBytes:    maxHeaderBytes,
		ReadHeaderTimeout: readHeaderTimeout,
		IdleTimeout:       idleTimeout,
		// "OPTIONS *" is for the handler to refuse.
		DisableGeneralOptionsHandler: true,
		ConnState:                    edge.NewConnections(edge.MaxConnections).Changed,
		BaseContext:                  func(net.Listener) context.Context { return context.Background() },
	}
	s.webMu.Lock()
	defer s.webMu.Unlock()
	s.web = append(s.web, web)
	return web
}
