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

// Config configures a [Server]. Only Store is required.
type Config struct {
	// Store keeps all data of the server. The caller opens the Store, and closes it
	// after Stop.
	Store *store.Store
	// Role says what this process does if several processes share a database. The zero
	// value is RoleAll: the process does everything.
	Role Role
	// Engine makes the engine of the server. The server passes a host to it. New calls
	// Engine once, and never for RoleAPI. If Engine is nil, the service refuses all work.
	// Processes that share a database may have different engines: the service accepts a
	// request if a living process can do the work, and each step goes to a process that can.
	Engine func(engine.Host) (engine.Engine, error)

	// Accounts are the accounts whose API keys the server accepts. A change that is
	// made through Accounts applies from the next request on: a plan, a suspension, a
	// revoked key. nil means the accounts of Store, on account.DefaultPlans.
	Accounts *account.Accounts
	// Authenticator identifies the caller of a request. nil means the API keys of
	// Accounts: see [KeyAuthenticator]. See also AccountChecker.
	Authenticator Authenticator

	// TrustedProxies are the addresses of the proxies in front of the service whose
	// X-Forwarded-For names the client. If TrustedProxies is empty, the peer address is the
	// client address and forwarding headers are ignored. The server counts failed
	// authentications by the client's address, and the log names it.
	TrustedProxies []netip.Prefix

	// Admit decides whether work that the plan permits may start, such as for billing. nil
	// means that the plan alone decides. The server calls Admit at most once for a request,
	// and never for an answer from the cache or for a job that the account already has. If
	// Admit returns an error, the work is refused: a *transcript.Error, such as
	// INSUFFICIENT_CREDITS, is the answer, and any other error is answered with 500. The
	// call's context ends after 30 s, and other requests do not wait for the call. A job
	// that Admit has accepted may never start: the process may die, or another process may
	// have made the text meanwhile. Therefore bill only the jobs that succeed.
	Admit func(context.Context, account.Principal, Operation) error

	// JobEnded, if not nil, is called for each job that has ended: with a transcript,
	// with an error, or because a client cancelled it. The call is stored in the
	// transaction that ends the job, so that the server makes it at least once. The job
	// is as GET /v1/transcript/job/{id} returns it, and its result has the segments.
	// The server also calls JobEnded for the jobs of batch items, but not for answers
	// from the cache.
	//
	// ctx ends after 30 s. The server logs an error of the call. It repeats the call after
	// an error, after a panic and if the process dies: first after a second, then with
	// growing pauses of at most 15 minutes. It stops when the job is deleted, 7 days after
	// its end. Up to four calls run at the same time, in no particular order. A call that
	// does not return when ctx ends delays other calls.
	//
	// If several processes share a database, each call is made by some process that has
	// JobEnded and a role other than RoleAPI, whichever process ended the job. While no
	// such process runs, the calls wait for up to 7 days.
	JobEnded func(ctx context.Context, account string, job *transcript.Job) error
	// BatchEnded is called for each batch that has ended, in the same way as JobEnded.
	// The batch is as GET /v1/batch/{batchId} returns it, without its items. A batch
	// that is retried ends again. If a batch is deleted before the call, the server
	// does not call BatchEnded.
	BatchEnded func(ctx context.Context, account string, b *batch.Job) error
	// FollowFailing, if not nil, is called for each follow that needs attention, in the
	// same way as JobEnded: when the checks of the followed address have failed for two
	// days, and when the publisher has ended the feed (EndedAt). The server does not
	// call it for paused follows.
	FollowFailing func(ctx context.Context, account string, f *follow.Follow) error

	// Sites says which link belongs to which platform; nil means site.Default.
	Sites *site.Table
	// DirectMedia accepts links that belong to no platform: to a media file, to the page of
	// an episode, or to an item of a feed. The service then fetches from any public host
	// that a caller names, so set DirectMedia only if the operator trusts the accounts. If
	// DirectMedia is false, the service refuses such links with UNSUPPORTED_PLATFORM. If no
	// worker has an engine with a Direct, the answer is NOT_IMPLEMENTED. Direct links lead
	// to many hosts and therefore have their own rate, under the platform transcript.Upload.
	// If Pace does not set that rate, it is 60 visits a minute and 10 at the same time, or
	// Pace.Rate if that permits more.
	DirectMedia bool
	// Pace limits how often this process visits each platform through each exit (see
	// Egress), for captions, downloads, lists and discovery together. Further visits
	// wait. The zero value means 5 visits a minute and 5 at the same time. A platform
	// sees the sum of the visits of all processes that share an address.
	Pace pace.Config
	// RecognizeBlockedAfter is how long a platform may block the captions of a link
	// before the service recognizes the speech instead: from a second to 6 hours. 0
	// means that jobs wait for their captions. A plan may set another time
	// (account.Plan). The metadata of a transcript that was recognized for this reason
	// has the member captionsBlocked.
	RecognizeBlockedAfter time.Duration
	// Egress says which addresses the service may reach for a link, and through which
	// proxies.
	Egress Egress

	// TrustWebhooks skips the verification of new webhooks: the service sends events at
	// once and no test event by itself, and all webhooks are verified. If TrustWebhooks
	// is false, a new webhook gets only test events until its address has answered one
	// with 2xx. This keeps accounts from sending requests of the service to a receiver
	// that does not want them.
	TrustWebhooks bool

	// BasePath is the prefix under which the handlers are mounted, such as "/media".
	// The paths in answers begin with BasePath. The caller must strip it from requests
	// by http.StripPrefix.
	BasePath string
	// Dir is the folder in which the server makes its folder for scratch files; empty means
	// the system's folder for temporary files. Each job in preparation needs room for the
	// largest upload and its audio (115 MB for an hour).
	Dir string
	// Path is the list of folders in which the server looks for programs, in the form
	// of the environment variable PATH. Relative folders are ignored. Programs may read
	// the files in these folders. Empty means /usr/local/bin:/usr/bin:/bin.
	Path string
	// Limits limit the work that the process takes on.
	Limits Limits
	// DrainDelay is how long /readyz answers 503 before Stop ends open streams and
	// work, so that a load balancer can choose another process. 0 means no delay.
	DrainDelay time.Duration

	// Log receives a line for each request, and what operators should know. If Log is
	// nil, the server logs nothing. The log never contains a key or a transcript.
	Log *slog.Logger
	// Tracer traces the requests that make jobs and the steps of the work, and links
	// them. nil means no tracing. Package tracing has a Tracer for OpenTelemetry.
	Tracer engine.Tracer
	// Version is the version in /healthz; empty means "dev".
	Version string

	inside //nolint:unused // service.SettingsOf reads it
}

// inside hides the settings from the documentation.
type inside = service.Inside //nolint:unused // as above

// The default pace of direct links.
const (
	directPerMinute = 60
	directBurst     = 10
)

// ConfigError is an error about a wrong member of [Config].
type ConfigError struct {
	Member string // such as "BasePath" or "Egress.Allow"
	Err    error  // why the member is wrong
}

// Error returns the name of the member and why it is wrong.
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

// usual fills in the defaults of the settings.
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
