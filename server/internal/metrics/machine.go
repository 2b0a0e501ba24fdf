package metrics

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
)

// WatchMachine shows the free bytes of the disks, by their use, and the open circuits at each
// scrape. It must be called at most once.
func (m *Metrics) WatchMachine(freeDisk func() map[string]int64, openCircuits func() map[Visited]bool) {
	type machine struct {
		free map[string]int64
		open map[Visited]bool
	}
	free := gauge("disk_free_bytes", "Free bytes on the disks of the `database`, the `blobs` and the `scratch` files. Only local folders have a row.", "folder")
	open := gauge("circuit_open", "1 while this process does not visit a platform, because the platform turned away all exits of the process. 0 otherwise.", "platform", "source")
	m.registry.MustRegister(&glance[machine]{
		describe: []*prometheus.Desc{free, open},
		look: func(context.Context) (machine, error) { // freeDisk may hang with a disk
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
