// Package metrics counts what the service does and shows it to Prometheus.
//
// A [Metrics] has its own registry. Nothing is global, so two servers in one process count
// separately. Each part of the service calls the method for the event to count. A Metrics looks
// up the series of a metric only once, at the start or at first use, so counting costs one
// addition. A label value comes from a table in this module or is "other". A text from a client
// never becomes a label value.
package metrics

import (
	"net/http"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// namespace begins the name of each of the service's metrics.
const namespace = "transcriptkit"

// other is the label value for a value that the label's table does not have.
const other = "other"

// Metrics holds the counters of one server. It is safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	*requests
	*jobs
	*cache
	*upstreams
	*recognition
	*followed
	*webhooked
	*tools
}

// New returns counters at zero. version is the version of the service.
func New(version string) *Metrics {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	f := promauto.With(registry)
	f.NewGaugeVec(prometheus.GaugeOpts{
		Namespace: namespace, Name: "build_info",
		Help: "Always 1. The labels have the version of the service and of Go.",
	}, []string{"version", "goversion"}).WithLabelValues(version, runtime.Version()).Set(1)
	return &Metrics{
		registry:    registry,
		requests:    newRequests(f),
		jobs:        newJobs(f),
		cache:       newCache(f),
		upstreams:   newUpstreams(f),
		recognition: newRecognition(f),
		followed:    newFollowed(f),
		webhooked:   newWebhooked(f),
		tools:       newTools(f),
	}
}

// Handler serves the metrics in Prometheus's text format.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		// If some metrics cannot be gathered, the answer shows the others and ends with the
		// error.
		ErrorHandling: promhttp.ContinueOnError,
	})
}
