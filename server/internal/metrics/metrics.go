// Package metrics counts what the service does and shows it to Prometheus.
//
// A [Metrics] has a registry of its own: nothing is global, and two servers in one
// process count apart. Each part of the service calls the method that is named for the
// counted event. A Metrics looks up the series of a metric once, at the start or at
// first use, so that counting costs an addition. Label values come from tables in this
// module, or are "other": a text from a caller never becomes a label value.
package metrics

import (
	"net/http"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// namespace begins the name of every metric of the service's own.
const namespace = "transcriptkit"

// other is the value of a label for what its table does not have.
const other = "other"

// Metrics are the counters of one server. Safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	*requests
	*jobs
	*cache
	*upstreams
	*recognition
}

// New makes counters that stand at zero. version is the service's.
func New(version string) *Metrics {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	f := promauto.With(registry)
	f.NewGaugeVec(prometheus.GaugeOpts{
		Namespace: namespace, Name: "build_info",
		Help: "Always 1; the labels are the versions of the service and of Go.",
	}, []string{"version", "goversion"}).WithLabelValues(version, runtime.Version()).Set(1)
	return &Metrics{
		registry:    registry,
		requests:    newRequests(f),
		jobs:        newJobs(f),
		cache:       newCache(f),
		upstreams:   newUpstreams(f),
		recognition: newRecognition(f),
	}
}

// Handler shows the metrics in Prometheus's text format.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		// The answer shows the gathered metrics even if others fail, and ends with the
		// error.
		ErrorHandling: promhttp.ContinueOnError,
	})
}
