package metrics

import "github.com/prometheus/client_golang/prometheus"

// counters are the series of a counter with one label, by its values.
type counters[L ~string] map[L]prometheus.Counter

func countersOf[L ~string](vec *prometheus.CounterVec, values []L) counters[L] {
	all := make(counters[L], len(values))
	for _, v := range values {
		all[v] = vec.WithLabelValues(string(v))
	}
	return all
}

// inc counts one. A value that the table does not have is not worth a crash.
func (c counters[L]) inc(value L) {
	if series, ok := c[value]; ok {
		series.Inc()
	}
}

// histograms are the series of a histogram with one label, by its values.
type histograms[L ~string] map[L]prometheus.Observer

func histogramsOf[L ~string](vec *prometheus.HistogramVec, values []L) histograms[L] {
	all := make(histograms[L], len(values))
	for _, v := range values {
		all[v] = vec.WithLabelValues(string(v))
	}
	return all
}

// observe is inc for a histogram.
func (h histograms[L]) observe(value L, seconds float64) {
	if series, ok := h[value]; ok {
		series.Observe(seconds)
	}
}

// longTimes are the bounds of a histogram for what may take from a moment to most of
// a day, in seconds.
func longTimes() []float64 {
	return []float64{.05, .25, 1, 2.5, 5, 15, 60, 300, 900, 3600, 4 * 3600, 12 * 3600}
}
