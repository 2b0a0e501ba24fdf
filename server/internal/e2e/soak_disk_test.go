package e2e_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/test/nstest"
)

// TestSoakDisk keeps the disk of the database, of the blobs and of the scratch
// files full for a minute each, under load, and then makes room.
func TestSoakDisk(t *testing.T) {
	soak(t)
	for _, what := range []string{"database", "blobs", "scratch"} {
		t.Run(what, func(t *testing.T) {
			nstest.Disk(t, 64<<20, func(t *testing.T, disk string) {
				s := newPlace(t, "sqlite:"+filepath.Join(t.TempDir(), "service.db"))
				s.minFree = 1 // it is to become full
				switch what {
				case "database":
					s.database = "sqlite:" + filepath.Join(disk, "service.db")
				case "blobs":
					s.blobs = filepath.Join(disk, "blobs")
				case "scratch":
					s.scratch = disk
				}
				key := s.makeKey(t)
				c := s.spawn(t, "127.0.0.1:0")
				l := newLoad(t, newClient(t, c.url, key))
				l.during(t, func() {
					<-time.After(10 * time.Second)
					fillFor(t, disk, time.Minute)
					<-time.After(20 * time.Second)
				})
				l.check(t)
				c.mustLive(t)
			})
		})
	}
}

// fillFor keeps a disk full: what the service itself deletes is taken too.
func fillFor(t *testing.T, disk string, d time.Duration) {
	t.Helper()
	var free []func()
	for over := time.After(d); ; {
		free = append(free, nstest.Fill(t, disk))
		select {
		case <-over:
			for _, f := range free {
				f()
			}
			return
		case <-time.After(3 * time.Second):
		}
	}
}
