// Package edge wraps every request of the API: it identifies the caller, checks the
// permissions, counts the request in its rate window, limits bodies, memory and slow clients,
// answers a repeated POST, compresses and tags answers, refuses in the API's form, and writes
// the log line.
//
// An [Edge] calls the handler of a [Route]. The handler calls functions of this package with
// the request's context, and never the Edge that called it, with one exception: [Edge.Once]
// runs a POST.
package edge

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/window"
)

// Config is what an Edge is made of. Every member except TrustedProxies and Patience is
// required.
type Config struct {
	Store          *db.Store // counts requests, and stores idempotency keys
	Metrics        *metrics.Metrics
	Log            *slog.Logger
	Authenticator  Authenticator
	TrustedProxies []netip.Prefix // the proxies whose X-Forwarded-For names the client
	Lifetime       *Lifetime
	BodyBytes      int64 // the largest number of bytes of request bodies in memory, at least LeastBodyBytes
	AnswerBytes    int64 // the largest number of bytes of large answers in memory
	Connections    int   // of the process: shares of them limit the running requests
	// Patience is how long each call of the store may take in a request; 0 means the store's usual
	// four seconds.
	Patience time.Duration
}

// Edge wraps the handlers of the API. It is safe for concurrent use.
type Edge struct {
	store          *db.Store
	metrics        *metrics.Metrics
	log            *slog.Logger
	authenticator  Authenticator
	trustedProxies []netip.Prefix
	lifetime       *Lifetime

	leases    *leases
	proxyTold sync.Once // see tellOfProxy
	memory    *memory
	underWay  *underWay
	failures  window.Counter[netip.Addr]
	visits    window.Counter[netip.Addr]          // requests of routes that count by address
	pack      func(http.Handler) http.HandlerFunc // see packing
	noRoute   *metrics.Route                      // for requests without a log
	patience  time.Duration                       // see Config
}

// New makes an Edge. The caller closes it when no request is running.
func New(c Config) (*Edge, error) {
	pack, err := newPacker()
	if err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	return &Edge{
		store: c.Store, metrics: c.Metrics, log: c.Log, authenticator: c.Authenticator, trustedProxies: c.TrustedProxies, lifetime: c.Lifetime,
		leases:   newLeases(c.Store, c.Log),
		memory:   newMemory(c.BodyBytes, c.AnswerBytes, c.Store.Blobs.UploadMemory() > 0),
		underWay: newUnderWay(c.Connections),
		failures: window.Counter[netip.Addr]{Max: maxClients},
		visits:   window.Counter[netip.Addr]{Max: maxClients},
		pack:     pack,
		noRoute:  c.Metrics.Route("none"),
		patience: c.Patience,
	}, nil
}

// Close gives up the idempotency keys that could not be released, and returns when nothing
// runs in the background.
func (e *Edge) Close() { e.leases.close() }
