// Package edge stands around every request of the API: it finds out who makes the request
// and whether they may, counts the request in its rate window, bounds bodies, memory and slow
// clients, answers a repeated POST, packs and tags answers, refuses in the API's form, and
// writes the log line.
//
// A request goes down: an [Edge] calls the handler of a [Route]. The handler calls functions
// of this package with the request's context, and never the Edge that called it, with one
// exception: a POST is done by [Edge.Once].
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

// Config is what an Edge is made of. Every member is required but TrustedProxies and Patience.
type Config struct {
	Store          *db.Store // counts requests, and keeps idempotency keys
	Metrics        *metrics.Metrics
	Log            *slog.Logger
	Authenticator  Authenticator
	TrustedProxies []netip.Prefix // the proxies whose X-Forwarded-For names the client
	Lifetime       *Lifetime
	BodyBytes      int64 // the most bytes of request bodies in memory, at least LeastBodyBytes
	AnswerBytes    int64 // the most bytes of large answers in memory
	Connections    int   // of the process: its parts bound the requests under way
	// Patience is how long each call of the store may take in a request; 0 means the store's usual
	// four seconds.
	Patience time.Duration
}

// Edge stands around the handlers of the API. It is safe for concurrent use.
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
	noRoute   *metrics.Route                      // for requests that have none
	patience  time.Duration                       // see Config
}

// New makes an Edge. The caller closes it when no request runs any more.
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
// runs in the background any more.
func (e *Edge) Close() { e.leases.close() }
