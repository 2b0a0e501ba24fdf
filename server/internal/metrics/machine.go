package metrics

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
)

// WatchMachine shows at each scrape how many bytes are free on the disks, by what they
// are used for, and which circuits are open. It is called once.
func (m *Metrics) WatchMachine(freeDisk func() map[string]int64, openCircuits func() map[Visited]bool) {
	type machine struct {
		free map[string]int64
		open map[Visited]bool
	}
	free := gauge("disk_free_bytes", "Room on the local disks to which the service writes, by what they are used for.", "folder")
	open := gauge("circuit_open", "1 while this process leaves a platform alone, as it was turned away there, else 0.", "platform", "source")
	m.registry.MustRegister(&glance[machine]{
		describe: []*prometheus.Desc{free, open},
		look: func(context.Context) (machine, error) { // a disk may hang
			return machine{freeDisk(), openCircuits()}, nil
		},
		show: func(seen machine, err error, out chan<- prometheus.Metric) {
			for folder, bytes := range seen.free {
				send(out, free, bytes, folder)
			}
			for visited, is := range seen.open {
				n := 0
				if is {
					n = 1
				}
				send(out, open, n, string(visited.Platform), string(visited.Source))
			}
		},
	})
}
