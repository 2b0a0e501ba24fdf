package metrics

import "github.com/prometheus/client_golang/prometheus"

// counters maps the values of a counter's only label to their series.
type counters[L ~string] map[L]prometheus.Counter

func countersOf[L ~string](vec *prometheus.CounterVec, values []L) counters[L] {
	all := make(counters[L], len(values))
	for _, v := range values {
		all[v] = vec.WithLabelValues(string(v))
	}
	return all
}

// inc adds one. It ignores a value that the table does not have: a missing count is better than
// a crash.
func (c counters[L]) inc(value L) {
	if series, ok := c[value]; ok {
		series.Inc()
	}
}

// histograms maps the values of a histogram's only label to their series.
type histograms[L ~string] map[L]prometheus.Observer

func histogramsOf[L ~string](vec *prometheus.HistogramVec, values []L) histograms[L] {
	all := make(histograms[L], len(values))
	for _, v := range values {
		all[v] = vec.WithLabelValues(string(v))
	}
	return all
}

// observe adds an observation. It ignores a value that the table does not have, like inc.
func (h histograms[L]) observe(value L, seconds float64) {
	if series, ok := h[value]; ok {
		series.Observe(seconds)
	}
}

// longTimes returns the bounds in seconds of a histogram for times between a moment and half a
// day.
func longTimes() []float64 {
	return []float64{.05, .25, 1, 2.5, 5, 15, 60, 300, 900, 3600, 4 * 3600, 12 * 3600}
}
