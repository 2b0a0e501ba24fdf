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

// requests counts the requests of clients.
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
		Help: "Refused requests by the code of the error in the answer, or by its slug if the answer is a flat error.",
	}, []string{"code"})
	return &requests{
		answered: f.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "http_requests_total",
			Help: "Answered requests by the pattern of the route. If no route has the path, `route` is `none`. Status 499: the client left before the answer. Status 0: the server cut the connection without an answer.",
		}, []string{"route", "method", "status"}),
		took: f.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Name: "http_request_duration_seconds",
			Help:    "A histogram of the seconds from the header of a request to the end of its answer. The time in which the body arrives counts. The time that the client chose to wait does not count: `waitMs`, and open event streams.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 120},
		}, []string{"route", "method"}),
		refusals: refusals,
		refused:  countersOf(refusals, transcript.Codes()),
		streams: f.NewGauge(prometheus.GaugeOpts{
			Namespace: namespace, Name: "http_event_streams",
			Help: "The number of open event streams.",
		}),
		routes: map[string]*Route{},
	}
}

// Route counts the requests of one route.
type Route struct {
	requests *requests
	pattern  string

	mu    sync.Mutex // guards changes of known
	known atomic.Pointer[map[result]series]
}

// result is a method and a status with which a request of a route ended.
type result struct {
	method string
	status int
}

// series holds the series of one result.
type series struct {
	answered prometheus.Counter
	took     prometheus.Observer
}

// Route returns the counters of the route with the pattern. The pattern "none" stands for
// requests that match no route. A handler calls Route once at the start and keeps the result.
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

// Pattern returns the pattern of the route, or "none".
func (r *Route) Pattern() string { return r.pattern }

// Answered counts a request. took does not include the time that the client chose to wait.
func (r *Route) Answered(method string, status int, took time.Duration) {
	end := result{method, status}
	s, ok := (*r.known.Load())[end]
	if !ok {
		s = r.add(end)
	}
	s.answered.Inc()
	s.took.Observe(took.Seconds())
}

// add returns the series of a result and creates the series if this is the first such result.
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

// Refused counts a refused request by the code of its error.
func (r *requests) Refused(code transcript.Code) {
	if c, ok := r.refused[code]; ok {
		c.Inc()
		return
	}
	r.refusals.WithLabelValues(other).Inc() // a code of an embedding program
}

// RefusedFlat counts a request that was refused with a flat slug of package server.
func (r *requests) RefusedFlat(slug string) { r.refusals.WithLabelValues(slug).Inc() }

// StreamOpened counts an event stream as open until the caller calls closed.
func (r *requests) StreamOpened() (closed func()) {
	r.streams.Inc()
	return r.streams.Dec
}
