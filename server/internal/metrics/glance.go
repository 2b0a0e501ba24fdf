package metrics

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/singleflight"
)

const (
	// patience is the longest time that a scrape waits for a reading.
	patience = 1500 * time.Millisecond
	// lookTime is the longest time that a reading may take.
	lookTime = time.Second
	// freshness is how long scrapes show the same reading.
	freshness = 3 * time.Second
)

// errTooLate means that a reading took longer than patience.
var errTooLate = errors.New("metrics: a look takes too long")

// glance is a collector that reads its values at each scrape. Concurrent scrapes share one
// reading. A scrape waits for a reading no longer than patience.
type glance[T any] struct {
	describe []*prometheus.Desc
	look     func(ctx context.Context) (T, error)
	// show sends the metrics for a reading, or for its error.
	show func(seen T, err error, out chan<- prometheus.Metric)

	same singleflight.Group
	mu   sync.Mutex
	seen T
	at   time.Time
}

// Describe sends the descriptions of the metrics. The registry calls it once.
func (g *glance[T]) Describe(out chan<- *prometheus.Desc) {
	for _, d := range g.describe {
		out <- d
	}
}

// Collect sends the metrics. The registry calls it at each scrape.
func (g *glance[T]) Collect(out chan<- prometheus.Metric) {
	seen, err := g.latest()
	g.show(seen, err, out)
}

func (g *glance[T]) latest() (seen T, err error) {
	if seen, ok := g.fresh(); ok {
		return seen, nil
	}
	result := g.same.DoChan("", func() (any, error) {
		if seen, ok := g.fresh(); ok { // another scrape has just made a reading
			return seen, nil
		}
		ctx, cancel := context.WithTimeout(context.Background(), lookTime)
		defer cancel()
		seen, err := g.look(ctx)
		if err == nil {
			g.keep(seen)
		}
		return seen, err
	})
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case r := <-result:
		seen, _ = r.Val.(T)
		return seen, r.Err
	case <-late.C:
		return seen, errTooLate
	}
}

func (g *glance[T]) fresh() (seen T, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.seen, !g.at.IsZero() && time.Since(g.at) < freshness
}

func (g *glance[T]) keep(seen T) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seen, g.at = seen, time.Now()
}

// gauge describes a gauge that a glance shows.
func gauge(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(namespace+"_"+name, help, labels, nil)
}

func send[N int | int64 | float64](out chan<- prometheus.Metric, d *prometheus.Desc, value N, labels ...string) {
	out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(value), labels...)
}
