package metrics

import (
	"maps"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// requests are the counters of what callers ask for.
type requests struct {
	answered *prometheus.CounterVec
	took     *prometheus.HistogramVec
	refusals *prometheus.CounterVec
	streams  prometheus.Gauge

	refused counters[transcript.Code]

	mu     sync.Mutex
	routes map[string]*Route
}

func newRequests(f promauto.Factory) *requests {
	refusals := f.NewCounterVec(prometheus.CounterOpts{
		Namespace: namespace, Name: "http_refusals_total",
		Help: "Requests that were refused, by the code or the flat slug of the answer.",
	}, []string{"code"})
	return &requests{
		answered: f.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "http_requests_total",
			Help: "Requests that have been answered, by the route's pattern (none: there is no such route), method and status (499: the client had gone, 0: cut off without an answer).",
		}, []string{"route", "method", "status"}),
		took: f.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Name: "http_request_duration_seconds",
			Help:    "Time from the header of a request to the end of its answer. The time that the client chose to wait (waitMs, an open event stream) does not count. The time in which a body arrives counts.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 120},
		}, []string{"route", "method"}),
		refusals: refusals,
		refused:  countersOf(refusals, transcript.Codes()),
		streams: f.NewGauge(prometheus.GaugeOpts{
			Namespace: namespace, Name: "http_event_streams",
			Help: "Event streams that are open.",
		}),
		routes: map[string]*Route{},
	}
}

// Route counts the requests of one route.
type Route struct {
	requests *requests
	pattern  string

	mu    sync.Mutex // for a change of known
	known atomic.Pointer[map[result]series]
}

// result is how a request of a route may end.
type result struct {
	method string
	status int
}

// series are those of one result.
type series struct {
	answered prometheus.Counter
	took     prometheus.Observer
}

// Route returns the counters of a route, "none" for requests that have none. It is
// for the start: requests hold what it has returned.
func (r *requests) Route(pattern string) *Route {
	r.mu.Lock()
	defer r.mu.Unlock()
	route := r.routes[pattern]
	if route == nil {
		route = &Route{requests: r, pattern: pattern}
		route.known.Store(&map[result]series{})
		r.routes[pattern] = route
	}
	return route
}

// Pattern is the route's, or "none".
func (r *Route) Pattern() string { return r.pattern }

// Answered counts a request. took is without what its sender wished to wait.
func (r *Route) Answered(method string, status int, took time.Duration) {
	end := result{method, status}
	s, ok := (*r.known.Load())[end]
	if !ok {
		s = r.add(end)
	}
	s.answered.Inc()
	s.took.Observe(took.Seconds())
}

// add finds the series of a result that comes for the first time.
func (r *Route) add(end result) series {
	switch end.method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
	default:
		end.method = other
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	before := *r.known.Load()
	if s, ok := before[end]; ok {
		return s
	}
	s := series{
		answered: r.requests.answered.WithLabelValues(r.pattern, end.method, strconv.Itoa(end.status)),
		took:     r.requests.took.WithLabelValues(r.pattern, end.method),
	}
	after := maps.Clone(before)
	after[end] = s
	r.known.Store(&after)
	return s
}

// Refused counts a request that was refused with a code.
func (r *requests) Refused(code transcript.Code) {
	if c, ok := r.refused[code]; ok {
		c.Inc()
		return
	}
	r.refusals.WithLabelValues(other).Inc() // a code of an embedder's own
}

// RefusedFlat counts a request that was refused with a flat slug, one of package
// server's.
func (r *requests) RefusedFlat(slug string) { r.refusals.WithLabelValues(slug).Inc() }

// StreamOpened counts an event stream as open until closed is called.
func (r *requests) StreamOpened() (closed func()) {
	r.streams.Inc()
	return r.streams.Dec
}
