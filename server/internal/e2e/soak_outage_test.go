package e2e_test

import (
	"testing"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
)

// TestSoakOutage stops the PostgreSQL server under load, for 1, 10 and 100 s.
func TestSoakOutage(t *testing.T) {
	soak(t)
	server, o := storetest.OwnServer(t)
	s := newPlace(t, o.Database)
	key := s.makeKey(t)
	a, b := s.spawn(t, "127.0.0.1:0"), s.spawn(t, "127.0.0.1:0")
	l := newLoad(t, newClient(t, a.url, key), newClient(t, b.url, key))
	l.during(t, func() {
		for _, away := range []time.Duration{time.Second, 10 * time.Second, 100 * time.Second} {
			<-time.After(10 * time.Second)
			server.Stop()
			<-time.After(away)
			server.Start()
		}
		<-time.After(10 * time.Second)
	})
	l.check(t)
	a.mustLive(t)
	b.mustLive(t)
}
