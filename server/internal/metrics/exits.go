package metrics

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
)

// WatchExits shows the health of the exits of the current pool at each scrape. The label is the
// exit's name in the operator's pool. It must be called at most once.
func (m *Metrics) WatchExits(exits func() []throttle.Exit) {
	visits := gauge("exit_visits_total", "Visits to platforms by each exit: by each address that platforms see. `exit` is a name in the operator's pool, or `direct`, never an address. `answered`: the platform answered. `blocked`: the platform refused the exit, and the visit went on by another exit if there was one. `failed`: no answer for another reason, such as a proxy that does not work. An exit that leaves the pool loses its row.", "exit", "class")
	open := gauge("exit_circuits_open", "The number of platforms and sources that this process does not visit by the exit, because they refused the exit or the exit does not work.", "exit")
	m.registry.MustRegister(&glance[[]throttle.Exit]{
		describe: []*prometheus.Desc{visits, open},
		look:     func(context.Context) ([]throttle.Exit, error) { return exits(), nil },
		show: func(seen []throttle.Exit, _ error, out chan<- prometheus.Metric) { // look returns no error
			for _, e := range seen {
				for class, n := range map[string]int64{"answered": e.Answered, "blocked": e.Blocked, "failed": e.Failed} {
					out <- prometheus.MustNewConstMetric(visits, prometheus.CounterValue, float64(n), e.Name, class)
				}
				send(out, open, e.Open, e.Name)
			}
		},
	})
}
