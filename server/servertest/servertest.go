// Package servertest runs the real service for a test: its HTTP API, its job queue and
// a database of its own, with an engine that the test controls. No program has to be
// installed.
//
//	func TestTranscribe(t *testing.T) {
//		s := servertest.New(t)
//		s.Engine.Say("four score and seven years ago")
//
//		c, err := client.New(s.URL, client.WithAPIKey(s.Key))
//		...
//	}
//
// Only the recognizer and the platforms are fakes; everything else is the code that
// runs in production. The service parses links, streams and hashes uploads, queues,
// claims, retries and cancels jobs, and caches answers, on SQLite in a temporary
// directory. When the test ends, the service is stopped and its files are removed.
//
// The package starts no PostgreSQL, calls no platform and reads no real media. Do not
// use it for load tests, because its recognizer takes no time.
package servertest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// Account is the name of a new server's account, which is active and on the default plan.
const Account = "acme"

// roomy returns a plan whose limits a test does not reach by chance.
func roomy() account.Plan {
	return account.Plan{
		Name:                 "test",
		Paid:                 true,
		RateLimit:            account.RateLimit{Requests: 1_000_000, Window: time.Minute},
		TranscriptsPerPeriod: 1_000_000,
		ASRMinutesPerPeriod:  1_000_000,
		Upload:               true,
		MaxUploadBytes:       4 << 30,
		MaxKeepMedia:         10 * 365 * 24 * time.Hour, // the most that a request may ask for
		MaxKeptMediaBytes:    1 << 40,
		ASR:                  true,
		ASRConcurrency:       1000,
		ASRWaiting:           1000,
		MaxDuration:          24 * time.Hour,
		Speakers:             true,
		BatchItems:           500,
		BatchExport:          true,
		Follows:              10_000,
		FollowItemsPerDay:    1_000_000,
		CacheTTL:             30 * 24 * time.Hour,
		ConcurrentRequests:   1_000_000,
		EventStreams:         20,
	}
}

// patience limits the stop of a server, and the calls of its database in a request.
const patience = time.Minute

// Server is a running service.
type Server struct {
	URL string // without a slash at its end
	Key string `json:"-"` // an API key of Account, with every scope; printing the server does not show it

	// Engine reads the service's links and recognizes speech. See its methods.
	Engine *Engine
	// Accounts are those of the configuration: changes that a test makes through them apply to
	// the next request.
	Accounts *account.Accounts
	// Store is the service's database, for tests that look behind the API.
	Store *store.Store
	// Server is the service. Restart replaces it.
	*server.Server

	config  server.Config
	dir     string // of all files; removed by Close
	handler atomic.Pointer[http.Handler]
	http    *http.Server
	serving chan error
}

// Format prints the address of the service.
func (s *Server) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "servertest.Server at %s", s.URL) }

// Option changes the server that New and Start make.
type Option func(*options)

type options struct {
	plans     account.Plans
	configure []func(*server.Config)
	store     func(*store.Options)
}

// OnPlan puts [Account], and every account that [Server.NewKey] makes, on the given
// plan. Without OnPlan, the plan has limits that tests do not reach by accident. The
// plan must be paid, or Account gets no key. A test can move an account to one of the
// other plans by Accounts.Set:
//
//	small, free := account.WithoutLimits("small"), account.Plan{Name: "free", ActionURL: "https://example.com/plans"}
//	small.TranscriptsPerPeriod = 2
//	s := servertest.New(t, servertest.OnPlan(small, free))
//	...
//	_, err := s.Accounts.Set(ctx, servertest.Account, account.Settings{Plan: "free"})
func OnPlan(plan account.Plan, others ...account.Plan) Option {
	plans := account.Plans{Default: plan.Name, ByName: map[string]account.Plan{}}
	for _, p := range slices.Concat(others, []account.Plan{plan}) {
		plans.ByName[p.Name] = p
	}
	return func(o *options) { o.plans = plans }
}

// Configure changes the server's configuration before it is used. Store, Dir, Accounts,
// the fake Engine and an unlimited Pace are already set. A test may set another Engine
// or other Accounts: [Account] is then on their default plan.
func Configure(change func(*server.Config)) Option {
	return func(o *options) { o.configure = append(o.configure, change) }
}

// ConfigureStore changes where the service keeps its data: another database, or a log.
func ConfigureStore(change func(*store.Options)) Option {
	return func(o *options) { o.store = change }
}

// New starts a server that is stopped when the test ends. An error fails the test.
func New(t testing.TB, opts ...Option) *Server {
	t.Helper()
	s, err := Start(t.Context(), opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Start starts a server for programs other than tests. The caller must call
// [Server.Close].
func Start(ctx context.Context, opts ...Option) (_ *Server, err error) {
	s := &Server{Engine: newEngine(), serving: make(chan error, 1)}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("servertest: %w", err), s.Close())
		}
	}()
	if s.dir, err = os.MkdirTemp("", "servertest-"); err != nil {
		return nil, err
	}
	o := options{store: func(*store.Options) {}}
	OnPlan(roomy())(&o)
	for _, opt := range opts {
		opt(&o)
	}
	if err := s.openStore(ctx, o); err != nil {
		return nil, err
	}
	if err := s.startService(ctx, o); err != nil {
		return nil, err
	}
	return s, s.listen(ctx)
}

func (s *Server) openStore(ctx context.Context, o options) (err error) {
	path := filepath.Join(s.dir, "test.db")
	at := store.Options{Database: "sqlite:" + path, Blobs: filepath.Join(s.dir, "blobs")}
	o.store(&at)
	if at.Database == "sqlite:"+path {
		if err := storetest.WriteSQLite(path); err != nil {
			return err
		}
	}
	s.Store, err = store.Open(ctx, at)
	return err
}

func (s *Server) startService(ctx context.Context, o options) (err error) {
	s.config = server.Config{
		Store: s.Store,
		Dir:   s.dir,
		Pace:  pace.Config{Rate: pace.Unlimited()},
		Engine: func(engine.Host) (engine.Engine, error) {
			e := s.Engine.asEngine()
			if s.config.DirectMedia {
				e.Direct = scriptedDirect{scriptedPlatforms{s.Engine}}
			}
			return e, nil
		},
	}
	service.SettingsOf(&s.config).Patience = patience // a service may stop faster than a busy machine allows
	if s.config.Accounts, err = account.New(s.Store, o.plans); err != nil {
		return err
	}
	for _, change := range o.configure {
		change(&s.config)
	}
	s.Accounts = s.config.Accounts
	if s.Key, err = s.makeKey(ctx, Account, account.Scopes()); err != nil {
		return err
	}
	return s.begin(ctx)
}

// begin starts a new service on the data of the previous one.
func (s *Server) begin(ctx context.Context) (err error) {
	if s.Server, err = server.New(ctx, s.config); err != nil {
		return err
	}
	h := s.Handler()
	if s.config.BasePath != "" {
		h = http.StripPrefix(s.config.BasePath, h)
	}
	s.handler.Store(&h)
	return s.Start(ctx)
}

// listen accepts requests from now on, even while the service restarts.
func (s *Server) listen(ctx context.Context) error {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.URL = "http://" + l.Addr().String() + s.config.BasePath
	// Do not use HTTPServer, which ends with its service.
	s.http = &http.Server{ReadHeaderTimeout: patience, ConnContext: edge.ConnContext, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		(*s.handler.Load()).ServeHTTP(w, r)
	})}
	go func() { s.serving <- s.http.Serve(s.Listener(l)) }()
	return nil
}

// Restart stops the service and starts it again on the same database and under the same
// URL, like a restart of the process. The new service continues running work.
func (s *Server) Restart(ctx context.Context) error {
	if err := s.Stop(ctx); err != nil {
		return fmt.Errorf("servertest: %w", err)
	}
	if err := s.begin(ctx); err != nil {
		return fmt.Errorf("servertest: %w", err)
	}
	return nil
}

// Close stops the service, ends its connections and removes its files. New registers it with
// the test.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var errs []error
	if s.Server != nil {
		errs = append(errs, s.Stop(ctx))
	}
	if s.http != nil {
		if err := s.http.Shutdown(ctx); err != nil {
			errs = append(errs, err, s.http.Close())
		}
		if err := <-s.serving; !errors.Is(err, http.ErrServerClosed) {
			errs = append(errs, err)
		}
	}
	if s.Store != nil {
		errs = append(errs, s.Store.Close())
	}
	if s.dir != "" {
		errs = append(errs, os.RemoveAll(s.dir))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("servertest: closing: %w", err)
	}
	return nil
}

// NewKey makes a key with the scopes, or with all scopes if none is named. It makes the account
// on the default plan if the account does not exist yet.
func (s *Server) NewKey(t testing.TB, name string, scopes ...account.Scope) string {
	t.Helper()
	if len(scopes) == 0 {
		scopes = account.Scopes()
	}
	key, err := s.makeKey(t.Context(), name, scopes)
	if err != nil {
		t.Fatalf("servertest: %s", err)
	}
	return key
}

func (s *Server) makeKey(ctx context.Context, name string, scopes []account.Scope) (string, error) {
	if _, err := s.Accounts.Set(ctx, name, account.Settings{}); err != nil {
		return "", err
	}
	_, key, err := s.Accounts.CreateKey(ctx, account.KeyParams{Account: name, Name: "test", Scopes: scopes})
	return key, err
}
