package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/internal/scratch"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/hooks"
	"github.com/transcriptkit/transcriptkit/server/internal/mcp"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/openaiface"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/internal/shares"
	"github.com/transcriptkit/transcriptkit/server/internal/shortlink"
	"github.com/transcriptkit/transcriptkit/server/internal/textfeed"
)

// Server is the transcript service. Its handlers answer as soon as [New] has returned.
// It works on jobs between [Server.Start] and [Server.Stop]. A Server is safe for
// concurrent use.
type Server struct {
	cfg        Config
	db         *db.Store
	metrics    *metrics.Metrics
	guard      *egress.Guard
	shortLinks *shortlink.Follower
	scratch    *scratch.Dir // nil for RoleAPI
	unconfined error        // why the kernel does not confine programs; nil means that it does

	// A request passes through the edge and the API to the pipeline.
	edge     *edge.Edge
	api      *api.API
	mcp      *mcp.Face
	openAI   *openaiface.Face
	pipeline *service.Service
	lifetime *edge.Lifetime

	release func() error // gives up the store; nil unless started

	webMu    sync.Mutex
	web      []*http.Server // made by HTTPServer
	entrance edge.Entrance  // of web

	// See Stop.
	stopOnce sync.Once
	drained  time.Time     // when the server stops taking requests
	turn     chan struct{} // holds a value while Start or Stop runs
	stopped  bool
}

// Format prints only the name of the type, with every verb, because a Server holds
// secrets and its state changes while it serves.
func (s *Server) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "server.Server") } // fmt ignores this error too

// New checks the configuration and returns a server. If a member of c is wrong, the
// error is a [*ConfigError]. The caller must call [Server.Stop] even without
// [Server.Start], because New makes a folder.
func New(ctx context.Context, c Config) (_ *Server, err error) {
	c, err = c.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Server{
		cfg: c, db: db.Of(c.Store), metrics: metrics.New(c.Version),
		lifetime: edge.NewLifetime(), turn: make(chan struct{}, 1),
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
	if err := s.makePipeline(); err != nil {
		return nil, err
	}
	return s, s.makeAPI()
}

// makePipeline makes the pipeline, and the engine unless the role is RoleAPI.
func (s *Server) makePipeline() (err error) {
	c := s.cfg
	set := service.SettingsOf(&c)
	with := service.Config{
		Store: s.db, Idle: c.Role == RoleAPI, Log: c.Log, Metrics: s.metrics, Tracer: c.Tracer,
		RecognizeBlockedAfter: c.RecognizeBlockedAfter,
		ASRWorkers:            c.Limits.ASRWorkers,
		MaxMediaDuration:      c.Limits.MaxMediaDuration,
		MinFreeDisk:           c.Limits.MinFreeDisk,
		ProgressInterval:      set.ProgressInterval,
		Retention:             set.Retention,
		Sites:                 c.Sites, ShortLinks: s.shortLinks, DirectMedia: c.DirectMedia, Pace: c.Pace, Guard: s.guard,
		LookupBudget: set.LookupBudget, DiscoveryBudget: set.DiscoveryBudget, Hooks: hooks.Config{Hooks: c.hooks()}, PlanOf: s.planOf,
		Follows: set.Follows, Webhooks: set.Webhooks, TrustWebhooks: c.TrustWebhooks,
	}
	if !with.Idle {
		if s.scratch, err = scratch.New(c.Dir); err != nil {
			return &ConfigError{"Dir", err}
		}
		with.Dir = s.scratch.Path()
		if with.Engine, err = s.makeEngine(); err != nil {
			return err
		}
	}
	if s.pipeline, err = service.New(with); err != nil {
		return fmt.Errorf("server: %w", err)
	}
	s.metrics.WatchStore(s.db, service.Queues())
	s.metrics.WatchMachine(s.pipeline.Disks.FreeDisk, s.pipeline.OpenCircuits)
	s.metrics.WatchExits(s.pipeline.Exits)
	return nil
}

// makeAPI makes the edge, and the resources behind it.
func (s *Server) makeAPI() (err error) {
	c := s.cfg
	set := service.SettingsOf(&c)
	s.edge, err = edge.New(edge.Config{
		Store: s.db, Metrics: s.metrics, Log: c.Log, Authenticator: c.Authenticator, TrustedProxies: c.TrustedProxies,
		Lifetime: s.lifetime, BodyBytes: c.Limits.BodyBytes, AnswerBytes: set.AnswerBytes, Connections: set.Connections, Patience: set.Patience,
	})
	if err != nil {
		return err
	}
	s.api = api.New(api.Config{
		Shared: resource.Shared{
			Edge: s.edge, Lifetime: s.lifetime, Pipeline: s.pipeline, Log: c.Log, Sites: c.Sites, ShortLinks: s.shortLinks,
			DirectMedia: c.DirectMedia, Judge: s.guard.JudgeLink, Checker: c.accountChecker(), Admit: c.admit(), BasePath: c.BasePath,
			Timeout: set.Timeout,
		},
		Metrics: s.metrics, Feeds: textfeed.New(s.db.SQL()), Shares: shares.New(s.db), Version: c.Version,
		Unconfined: func() error { return s.unconfined },
	})
	s.mcp = mcp.New(mcp.Config{API: s.api, Edge: s.edge, Metrics: s.metrics, Log: c.Log, Version: c.Version, TrustedProxies: c.TrustedProxies})
	s.openAI = &openaiface.Face{API: s.api, Lifetime: s.lifetime, Pipeline: s.pipeline, Admit: c.admit()}
	return nil
}

// planOf returns the plan of an account, even if the account is suspended. If the plan no
// longer exists or cannot be read, planOf returns the zero value.
func (s *Server) planOf(ctx context.Context, name string) account.Plan {
	p, err := s.cfg.Accounts.Principal(ctx, name)
	if errors.Is(err, account.ErrNoPlan) { // then the plan is the plan of refusals
		return account.Plan{}
	}
	return p.Plan // other errors are about requests
}

// Start starts the work on jobs. On SQLite, Start returns [store.ErrServed] if another
// process serves the same file. Call Start once, and never after [Server.Stop], which
// releases the server's resources.
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

// close releases what New has acquired.
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
