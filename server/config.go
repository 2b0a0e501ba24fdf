package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"net/url"
	"path"
	"runtime"
	"slices"
	"time"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/library/follow"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
	"github.com/transcriptkit/transcriptkit/server/internal/work"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// Config says what a server is made of. Only Store is required.
type Config struct {
	// Store keeps everything. The caller opens the Store, and closes it after Stop.
	Store *store.Store
	// Role is the server's part among the processes that share a database. The zero
	// value is RoleAll: the server does everything.
	Role Role
	// Engine makes the engine, with the host that the server passes. New calls Engine
	// once, and not at all for RoleAPI. nil: the service refuses all work. Processes that
	// share a database may have different engines: the service accepts a request if a living
	// process can do the work, and each step goes to a process that can.
	Engine func(engine.Host) (engine.Engine, error)

	// Accounts are the accounts whose API keys the server accepts. The next request obeys a
	// change that is made through Accounts: a plan, a suspension, a revoked key. nil: the
	// accounts of Store, on account.DefaultPlans.
	Accounts *account.Accounts
	// Authenticator says who makes a request. nil: the API keys of Accounts do. See also
	// AccountChecker.
	Authenticator Authenticator

	// TrustedProxies are the addresses of the proxies in front of the service whose
	// X-Forwarded-For names the client. If TrustedProxies is empty, the peer address is the
	// client address and forwarding headers are ignored. The server counts failed
	// authentications by the client's address, and the log names it.
	TrustedProxies []netip.Prefix

	// Admit has the last word on work that the plan permits, for a bill of the embedder;
	// nil: the plan decides. The server calls Admit at most once for a request, and not for
	// an answer of the cache or for a job that the account has already. The error of Admit is
	// the answer: a *transcript.Error as it is, INSUFFICIENT_CREDITS for example, any other
	// error as 500. Other requests do not wait for the call, whose context ends after 30 s. A
	// job that Admit has accepted may never start: the process may die, or another process may
	// have made the text meanwhile. A bill counts the jobs that succeed.
	Admit func(context.Context, account.Principal, Operation) error

	// JobEnded, if not nil, is called for each job that has ended, with a transcript, an
	// error, or because a client cancelled it. The call is stored with the end of the job, so
	// that the server makes it at least once. The job is as GET /v1/transcript/job/{id} shows
	// it, and its result has the segments. The server also calls JobEnded for the jobs of
	// batch items, but not for answers of the cache.
	//
	// ctx ends after 30 s. The server repeats the call after an error, which the log shows,
	// after a panic, and when the process dies: after a second at first, every 15 minutes at
	// last, until the job is forgotten, 7 days after its end. Four calls run at the same time,
	// in no order. A call that does not return when ctx ends holds up others.
	//
	// If processes share a database, the calls are made by those that work and have JobEnded,
	// whichever process ends the job. RoleAPI makes none. While no such process runs, the
	// calls wait, for 7 days.
	JobEnded func(ctx context.Context, account string, job *transcript.Job) error
	// BatchEnded is JobEnded for batches, as GET /v1/batch/{batchId} shows them, without
	// their items. A batch that is retried ends again. For a batch that is deleted before
	// the call, no call is made.
	BatchEnded func(ctx context.Context, account string, b *batch.Job) error
	// FollowFailing is called as JobEnded is, once the looks at a followed address have
	// failed for two days, and when the publisher has ended the feed (EndedAt): for each
	// follow of the address that is not paused. nil: nothing is called.
	FollowFailing func(ctx context.Context, account string, f *follow.Follow) error

	// Sites says which link belongs to which platform; nil: site.Default.
	Sites *site.Table
	// DirectMedia takes links that belong to no platform: to a media file, to the page of an
	// episode, or to an item of a feed. The service then fetches from any public host that a caller
	// names, so DirectMedia is for accounts that the operator trusts. false: the service refuses
	// such links with UNSUPPORTED_PLATFORM. If no process that works has an engine with a Direct,
	// the answer is NOT_IMPLEMENTED. These links lead to many hosts, so they have a pace of their
	// own, under the platform transcript.Upload: if Pace sets none, 60 visits a minute, 10 of them
	// at the same time, or Pace.Rate if that permits more.
	DirectMedia bool
	// Pace is how often this process visits each platform by each exit (Egress), for captions,
	// downloads, lists and discovery together. The zero value: 5 visits a minute, 5 at the same time.
	// Further visits wait. The visits of processes that share an address add up.
	Pace pace.Config
	// RecognizeBlockedAfter is for how long a platform may block the captions of a link before
	// the service recognizes the sound instead, from a second to 6 hours; 0: jobs wait for
	// their captions. A plan may say another time (account.Plan). The metadata of such a
	// transcript has the member captionsBlocked.
	RecognizeBlockedAfter time.Duration
	// Egress says what links may lead to, and by which way.
	Egress Egress

	// TrustWebhooks sends the events of an account to an address before the address has answered a
	// test event. false: a new webhook gets test events alone until its address has answered one
	// with 2xx, so that no account can turn the service against a receiver that does not want it.
	// true: the service sends no test by itself, and all webhooks count as verified.
	TrustWebhooks bool

	// BasePath is the prefix under which the handlers are mounted, as in "/media". The paths
	// in answers begin with it. The caller strips it from requests (http.StripPrefix).
	BasePath string
	// Dir is the folder in which the server makes its folder for scratch files; empty: the
	// system's folder for temporary files. Each job that is being prepared needs room for the
	// largest upload and its audio (115 MB for an hour).
	Dir string
	// Path is the list of folders in which the server looks programs up, in the form of the
	// environment variable PATH. Relative folders are left out. Programs may read the files in
	// these folders. Empty: /usr/local/bin:/usr/bin:/bin.
	Path string
	// Limits bound the work of the service.
	Limits Limits
	// DrainDelay is how long /readyz answers 503 before Stop ends open streams and work, so
	// that a load balancer can choose another process; 0: no delay.
	DrainDelay time.Duration

	// Log receives a line for each request, and the facts that operators should know; nil:
	// nothing is logged. The log never holds a key or a text.
	Log *slog.Logger
	// Tracer learns of requests that make jobs, and of the steps of the work, so that each
	// can be found from the other; nil: no tracing. Package tracing has a Tracer for
	// OpenTelemetry.
	Tracer engine.Tracer
	// Version is the version in /healthz; empty: "dev".
	Version string

	inside //nolint:unused // service.SettingsOf reads it
}

// inside keeps the settings out of the documentation.
type inside = service.Inside //nolint:unused // as above

// The default pace of direct links.
const (
	directPerMinute = 60
	directBurst     = 10
)

// ConfigError is the error of New about a member of Config that is wrong.
type ConfigError struct {
	Member string // such as "BasePath" or "Egress.Allow"
	Err    error  // why the member is wrong
}

// Error names the member and says why it is wrong.
func (e *ConfigError) Error() string { return "server: Config." + e.Member + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *ConfigError) Unwrap() error { return e.Err }

// withDefaults checks the configuration without side effects, and fills in the defaults.
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
	if _, set := c.Pace.Rates[transcript.Upload]; c.DirectMedia && !set && c.Pace.Rate.PerMinute < directPerMinute {
		rates := maps.Clone(c.Pace.Rates)
		if rates == nil {
			rates = map[transcript.Platform]pace.Rate{}
		}
		rates[transcript.Upload] = pace.Rate{PerMinute: directPerMinute, Burst: directBurst}
		c.Pace.Rates = rates
	}
	c.TrustedProxies = slices.Clone(c.TrustedProxies)
	c.Version = cmp.Or(c.Version, "dev")
	c.Limits.ASRWorkers = cmp.Or(c.Limits.ASRWorkers, runtime.GOMAXPROCS(0))
	c.Limits.MaxMediaDuration = cmp.Or(c.Limits.MaxMediaDuration, 12*time.Hour)
	c.Limits.MinFreeDisk = cmp.Or(c.Limits.MinFreeDisk, defaultMinFreeDisk)
	c.Limits.BodyBytes = cmp.Or(c.Limits.BodyBytes, edge.DefaultBodyBytes)
	usual(service.SettingsOf(&c))
	return c, nil
}

// usual fills in the settings that are not set.
func usual(s *service.Settings) {
	s.AnswerBytes = cmp.Or(s.AnswerBytes, edge.DefaultAnswerBytes)
	s.ProgressInterval = cmp.Or(s.ProgressInterval, time.Second)
	s.Retention = cmp.Or(s.Retention, work.DefaultRetention())
	s.LookupBudget = cmp.Or(s.LookupBudget, 10*time.Second)
	s.DiscoveryBudget = cmp.Or(s.DiscoveryBudget, 50*time.Second)
	s.Connections = cmp.Or(s.Connections, edge.MaxConnections)
	if s.Timeout == nil {
		s.Timeout = context.WithTimeout
	}
}

// plainPath reports whether p is a path below the root without characters that a URL escapes.
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
	if after := c.RecognizeBlockedAfter; after != 0 && (after < time.Second || after > 6*time.Hour) {
		return &ConfigError{"RecognizeBlockedAfter", errors.New("must be 1 s to 6 h, or 0 to wait for captions")}
	}
	if _, err := throttle.New(c.Pace, nil, nil); err != nil {
		return &ConfigError{"Pace", err}
	}
	return nil
}
