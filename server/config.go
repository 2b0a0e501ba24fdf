package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// Config says what a server is made of. Only Store is required.
type Config struct {
	// Store keeps everything. The caller opens it, and closes it after Stop.
	Store *store.Store
	// Engine makes the engine, with the host that the server gives it: it is
	// called once, by New. nil: a service that refuses all work. Processes that
	// share a database want the same one: work that is given to one that cannot do
	// it ends in NOT_IMPLEMENTED.
	Engine func(engine.Host) (engine.Engine, error)

	// Sites says which link belongs to which platform; nil: site.Default.
	Sites *site.Table
	// AllowEgress are addresses ("host:port") that a link may lead to although they
	// are private, or on a port other than 80 and 443.
	AllowEgress []string
	// OperatorEgress are addresses ("host:port") that the deployment itself uses: a
	// recognizer, a database. No link ever leads there; one that is allowed all
	// the same is an error of New (contract 13.20).
	OperatorEgress []string

	// Proxies are the deployment's own, by which the service reaches what links lead
	// to: http or https URLs of those that know CONNECT, for port 80 too, or socks5
	// ones, credentials included; none: it goes directly. They are taken in turn, and
	// told addresses that have been judged, never names. AllowEgress is reached
	// without them.
	Proxies []*url.URL

	// Pace is how often this process visits each platform, for captions and
	// downloads together; the zero value: 5 visits a minute, 5 of them at once.
	// What would be more waits. Processes that share an address add up.
	Pace pace.Config

	// Plans are what accounts may have; the zero value: account.DefaultPlans.
	Plans account.Plans
	// Authenticator says who makes a request. nil: API keys of the store's
	// accounts (contract 10).
	Authenticator Authenticator

	// BasePath is the prefix under which the handlers are mounted, as in
	// "/media": it stands before the paths that answers name. The caller strips
	// it from requests (http.StripPrefix).
	BasePath string
	// Dir is where the server makes its directory for scratch files; empty: the
	// system's directory for temporary files. Room for the largest upload and its
	// audio (115 MB for an hour) is needed for each job that is being prepared.
	Dir string
	// ASRWorkers is how many pieces of audio are recognised at once; 0: one per
	// processor.
	ASRWorkers int
	// MaxMediaDuration is the longest media taken; 0: 12 h.
	MaxMediaDuration time.Duration
	// MinFreeDisk is how many bytes are to stay free on each local disk to which
	// the service writes: its database, blobs and scratch files. With less, uploads
	// and new work are answered 503 SERVICE_UNAVAILABLE, accepted work waits, and
	// /readyz says so; 0: 512 MiB.
	MinFreeDisk int64
	// ProgressInterval is the shortest time between two progress reports of a
	// job; 0: one second.
	ProgressInterval time.Duration
	// DrainDelay is how long Stop lets /readyz answer 503 before it ends open
	// streams and work, so that a load balancer can look elsewhere; 0: not at all.
	DrainDelay time.Duration

	// Log receives a line for each request and what operators should know; nil:
	// nothing is logged. It never holds a key or a text.
	Log *slog.Logger
	// Version is what /healthz says; empty: "dev".
	Version string

	// timeout bounds the wait of a POST for its job: context.WithTimeout, but in
	// tests that must not depend on the speed of their machine.
	timeout func(context.Context, time.Duration) (context.Context, context.CancelFunc)
}

// Authenticator says who makes a request. The error is ErrNoCredential,
// ErrInvalidCredential, or a *transcript.Error such as UPGRADE_REQUIRED; any
// other is answered as a fault of the service. A principal beside an error is
// for the log alone. While an event stream is open it is asked again every 10 s,
// with the same request: the stream ends when that is refused, is another
// account's, or has lost the scope. Safe for concurrent use.
type Authenticator interface {
	Authenticate(ctx context.Context, r *http.Request) (account.Principal, error)
}

func (c Config) withDefaults() (Config, error) {
	if c.Store == nil {
		return c, errors.New("server: Config.Store is required")
	}
	if c.BasePath != "" && (!strings.HasPrefix(c.BasePath, "/") || strings.HasSuffix(c.BasePath, "/")) {
		return c, errors.New(`server: Config.BasePath must begin with "/" and not end with it`)
	}
	for member, value := range map[string]int64{
		"ASRWorkers": int64(c.ASRWorkers), "MaxMediaDuration": int64(c.MaxMediaDuration),
		"ProgressInterval": int64(c.ProgressInterval), "MinFreeDisk": c.MinFreeDisk,
		"DrainDelay": int64(c.DrainDelay),
	} {
		if value < 0 {
			return c, fmt.Errorf("server: Config.%s must not be negative", member)
		}
	}
	if c.Plans.ByName == nil {
		c.Plans = account.DefaultPlans()
	}
	if _, ok := c.Plans.ByName[c.Plans.Default]; !ok {
		return c, errors.New("server: Config.Plans.Default names no plan")
	}
	if c.Sites == nil {
		c.Sites = site.Default()
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.Log = slog.New(boundedLog{c.Log.Handler()})
	if c.Version == "" {
		c.Version = "dev"
	}
	if c.timeout == nil {
		c.timeout = context.WithTimeout
	}
	if c.Engine == nil {
		c.Engine = func(engine.Host) (engine.Engine, error) { return engine.Engine{}, nil }
	}
	return c, nil
}
