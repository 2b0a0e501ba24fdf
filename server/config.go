package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"path"
	"runtime"
	"slices"
	"time"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/internal/redact"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/pipeline"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// Config says what a server is made of. Only Store is required.
type Config struct {
	// Store keeps everything. The caller opens it, and closes it after Stop.
	Store *store.Store
	// Role is the server's part among the processes that share a database; the zero
	// value, RoleAll: it does everything.
	Role Role
	// Engine makes the engine, with the host that the server gives it. New calls Engine
	// once, except for RoleAPI. nil: a service that refuses all work. Processes that
	// share a database may have different engines: a request is accepted if a living
	// process can do the work, and each step goes to a process with the ability.
	Engine func(engine.Host) (engine.Engine, error)

	// Accounts are the accounts whose API keys are accepted. A change through Accounts
	// (a plan, a suspension, a revoked key) holds from the next request on. nil: the
	// accounts of Store, on account.DefaultPlans.
	Accounts *account.Accounts
	// Authenticator says who makes a request. nil: the API keys of Accounts do.
	Authenticator Authenticator

	// TrustedProxies are the addresses of proxies in front of the service whose
	// X-Forwarded-For names the client. If TrustedProxies is empty, the peer address is
	// the client address and forwarding headers are ignored. Failed authentications are
	// counted by the client's address, and the log names it.
	TrustedProxies []netip.Prefix

	// Admit is asked, where it is set, before a job is accepted that the plan permits:
	// for a bill of the embedder's own. It is asked at most once for a request, and
	// neither for what the cache answers nor for a job that the account has already. Its
	// error is the answer: a *transcript.Error as it is, INSUFFICIENT_CREDITS for one,
	// any other as 500. Others do not wait while it is asked; its context ends after
	// 30 s. A job that was admitted need not come to be: the process may die, or
	// another have made the text meanwhile. For the bill there are the jobs that succeed.
	Admit func(context.Context, account.Principal, Operation) error

	// JobEnded, if it is set, is called for each job that has ended, with a transcript,
	// an error, or because it was cancelled. The call comes after the end is stored,
	// and at least once, because the call is stored together with the end. The job is
	// as GET /v1/transcript/job/{id} shows it, and its result has the segments. Jobs
	// that items of batches wait for are included. An answer from the cache is no job.
	//
	// ctx ends after 30 s. After an error, a panic, or the death of the process, the
	// call is repeated: after a second at first, at last every 15 minutes, until the
	// job is forgotten, 7 days after its end. The log shows the errors. Four calls are
	// made at once, in no order. A call that does not return when ctx ends holds up
	// other calls.
	//
	// If several processes share a database, the processes that work and have JobEnded
	// make the calls, for jobs of all processes. RoleAPI makes no calls. While no such
	// process runs, the calls wait, for 7 days.
	JobEnded func(ctx context.Context, account string, job *transcript.Job) error
	// BatchEnded is JobEnded for batches: as GET /v1/batch/{batchId} shows them, without
	// their items. One that is retried ends again; one that is deleted before the call
	// is not told of.
	BatchEnded func(ctx context.Context, account string, b *batch.Job) error

	// Sites says which link belongs to which platform; nil: site.Default.
	Sites *site.Table
	// Pace is how often this process visits each platform, for captions, downloads,
	// lists and discovery together; the zero value: 5 visits a minute, 5 of them at
	// once. More visits wait. The visits of processes that share an address add up.
	Pace pace.Config
	// Egress says what links may lead to, and by which way.
	Egress Egress

	// BasePath is the prefix under which the handlers are mounted, as in
	// "/media": it stands before the paths that answers name. The caller strips
	// it from requests (http.StripPrefix).
	BasePath string
	// Dir is where the server makes its directory for scratch files; empty: the
	// system's directory for temporary files. Room for the largest upload and its
	// audio (115 MB for an hour) is needed for each job that is being prepared.
	Dir string
	// Path is the list of folders in which programs are looked up, in the form of the
	// environment's PATH, without relative folders. Programs may read the files in
	// these folders. Empty: /usr/local/bin:/usr/bin:/bin.
	Path string
	// Limits bound what the service takes on.
	Limits Limits
	// DrainDelay is how long Stop lets /readyz answer 503 before it ends open
	// streams and work, so that a load balancer can look elsewhere; 0: not at all.
	DrainDelay time.Duration

	// Log receives a line for each request and what operators should know; nil:
	// nothing is logged. It never holds a key or a text.
	Log *slog.Logger
	// Tracer hears of requests that make jobs, and of the steps of the work, and links
	// both; nil: no trace is made. Package tracing has a Tracer for OpenTelemetry.
	Tracer engine.Tracer
	// Version is what /healthz says; empty: "dev".
	Version string

	// progressInterval is the shortest time between two progress reports of a job;
	// 0: one second. Only tests change it.
	progressInterval time.Duration
	// lookupBudget is how long a GET waits for a platform; 0: 10 s. Only
	// tests change it.
	lookupBudget time.Duration
	// discoveryBudget is how long a GET waits for what the video site has; 0: 50 s. Only
	// tests change it.
	discoveryBudget time.Duration
	// exportPatience is how long a client may take to read a chunk of an export; 0: as
	// for an answer. Only tests change it.
	exportPatience time.Duration
	// answerBytes bounds the bytes of large answers; 0: 64 MiB. Only tests change it.
	answerBytes int64
	// retention is how long what has ended is kept; the zero value: as long as in
	// pipeline.DefaultRetention. Only tests change it.
	retention pipeline.Retention
	// timeout is context.WithTimeout for the wait of a POST for its job and for the
	// way of a short link, but in tests that must not depend on the speed of their
	// machine.
	timeout func(context.Context, time.Duration) (context.Context, context.CancelFunc)
}

// Egress says what may be reached on behalf of callers. The zero value: public
// addresses on the ports 80 and 443, directly.
type Egress struct {
	// Allow are addresses ("host:port") that a link may lead to although they are
	// private, or on a port other than 80 and 443. They go by the name that the link
	// has, not by what it resolves to.
	Allow []string
	// Deny are addresses ("host:port") that the deployment itself uses: a
	// recognizer, a database. No link ever leads there; one that is allowed all
	// the same is an error of New.
	Deny []string
	// Proxies are the deployment's own proxies, through which the service follows
	// links: URLs of http or https proxies with CONNECT, for port 80 too, or of socks5
	// proxies, credentials included. If Proxies is empty, the service connects
	// directly. The service uses the proxies in turn, and tells them checked addresses,
	// never names. The service reaches addresses in Allow without a proxy.
	Proxies []*url.URL
}

// Format prints the members without users and passwords of proxies.
func (e Egress) Format(s fmt.State, verb rune) {
	type shown Egress // has no methods
	e.Proxies = slices.Clone(e.Proxies)
	for i, proxy := range e.Proxies {
		e.Proxies[i] = redact.Parsed(proxy)
	}
	redact.Print(s, verb, shown(e))
}

// Limits bound what a process takes on. The zero value of each member is its
// default.
type Limits struct {
	// ASRWorkers is how many pieces of audio are recognized at once; 0: one per
	// processor.
	ASRWorkers int
	// MaxMediaDuration is the longest media taken; 0: 12 h.
	MaxMediaDuration time.Duration
	// MinFreeDisk is how many bytes are to stay free on each local disk to which
	// the service writes: its database, blobs and scratch files. With less, uploads
	// and new work are answered 503 SERVICE_UNAVAILABLE, accepted work waits, and
	// /readyz says so; 0: 512 MiB.
	MinFreeDisk int64
	// BodyBytes is how many bytes of requests' bodies the process keeps in memory at the
	// same time, and a quarter of it how many an account does, or one of the largest body.
	// A body that does not fit is answered 503 SERVICE_UNAVAILABLE or 429 before more of it
	// is read. To decode a body takes six times its size. At least 16 MiB; 0: 40 MiB, which
	// is for a process that may have 1 GB. Uploaded files do not count: they go to the
	// blobs as they come.
	BodyBytes int64
}

const defaultMinFreeDisk = 512 << 20

// ConfigError is the error of New about a member of Config that is wrong.
type ConfigError struct {
	Member string // such as "BasePath" or "Egress.Allow"
	Err    error  // what is wrong with it
}

// Error names the member and says what is wrong with it.
func (e *ConfigError) Error() string { return "server: Config." + e.Member + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *ConfigError) Unwrap() error { return e.Err }

// withDefaults checks what can be checked without touching anything, and fills in
// what was left out.
func (c Config) withDefaults() (Config, error) {
	if err := c.check(); err != nil {
		return c, err
	}
	if c.Accounts == nil {
		var err error
		if c.Accounts, err = account.New(c.Store, account.DefaultPlans()); err != nil {
			return c, &ConfigError{"Accounts", err}
		}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.Log = edge.SafeLog(c.Log)
	if c.Authenticator == nil {
		c.Authenticator = edge.KeyAuthenticator{Accounts: c.Accounts, Log: c.Log}
	}
	if c.Engine == nil {
		c.Engine = func(engine.Host) (engine.Engine, error) { return engine.Engine{}, nil }
	}
	if c.Sites == nil {
		c.Sites = site.Default()
	}
	if c.timeout == nil {
		c.timeout = context.WithTimeout
	}
	c.TrustedProxies = slices.Clone(c.TrustedProxies)
	c.Version = cmp.Or(c.Version, "dev")
	c.Limits.ASRWorkers = cmp.Or(c.Limits.ASRWorkers, runtime.GOMAXPROCS(0))
	c.Limits.MaxMediaDuration = cmp.Or(c.Limits.MaxMediaDuration, 12*time.Hour)
	c.Limits.MinFreeDisk = cmp.Or(c.Limits.MinFreeDisk, defaultMinFreeDisk)
	c.Limits.BodyBytes = cmp.Or(c.Limits.BodyBytes, edge.DefaultBodyBytes)
	c.answerBytes = cmp.Or(c.answerBytes, edge.DefaultAnswerBytes)
	c.progressInterval = cmp.Or(c.progressInterval, time.Second)
	c.retention = cmp.Or(c.retention, pipeline.DefaultRetention())
	c.lookupBudget = cmp.Or(c.lookupBudget, 10*time.Second)
	c.discoveryBudget = cmp.Or(c.discoveryBudget, 50*time.Second)
	c.exportPatience = cmp.Or(c.exportPatience, edge.AnswerTimeout)
	return c, nil
}

// plainPath tells that a path below the root stands in a URL as it is.
func plainPath(p string) bool {
	u, err := url.Parse(p)
	return err == nil && u.Path == p && u.EscapedPath() == p && path.IsAbs(p) && path.Clean(p) == p && p != "/"
}

func (c Config) check() error {
	if c.Store == nil {
		return &ConfigError{"Store", errors.New("is required")}
	}
	if c.BasePath != "" && !plainPath(c.BasePath) {
		return &ConfigError{"BasePath", errors.New(`must be a path as in "/media": it begins with "/", does not end with it, and holds nothing that a URL escapes`)}
	}
	if err := c.Role.check(c.Store); err != nil {
		return &ConfigError{"Role", err}
	}
	for _, m := range []struct {
		name  string
		value int64
	}{
		{"Limits.ASRWorkers", int64(c.Limits.ASRWorkers)},
		{"Limits.MaxMediaDuration", int64(c.Limits.MaxMediaDuration)},
		{"Limits.MinFreeDisk", c.Limits.MinFreeDisk},
		{"DrainDelay", int64(c.DrainDelay)},
	} {
		if m.value < 0 {
			return &ConfigError{m.name, errors.New("must not be negative")}
		}
	}
	if n := c.Limits.BodyBytes; n != 0 && n < edge.LeastBodyBytes {
		return &ConfigError{"Limits.BodyBytes", fmt.Errorf("must be at least %d, enough for the largest body and others, or 0 for the default", edge.LeastBodyBytes)}
	}
	for i, p := range c.TrustedProxies {
		if !p.IsValid() {
			return &ConfigError{"TrustedProxies", fmt.Errorf("number %d is no prefix, as netip.ParsePrefix makes one", i)}
		}
	}
	if _, err := pace.New(c.Pace, nil); err != nil {
		return &ConfigError{"Pace", err}
	}
	return nil
}
