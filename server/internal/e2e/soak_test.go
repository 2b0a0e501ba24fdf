package e2e_test

import (
	"flag"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
)

var soakFlag = flag.Bool("soak", false, "also run the tests that take minutes (make soak)")

// soak leaves a test that takes minutes to make soak.
func soak(t *testing.T) {
	t.Helper()
	if !*soakFlag {
		t.Skip("takes minutes: make soak")
	}
}

// full leaves a test to make test-all: make test, which runs with -short, has a shorter test of
// the same.
func full(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes longer than make test may: make test-all")
	}
}

// TestSoakCuts breaks 2,000 connections to PostgreSQL in 90 s under load, every
// other one in the middle of an answer.
func TestSoakCuts(t *testing.T) {
	soak(t)
	s := newPlace(t, storetest.Postgres(t).Database)
	w := newWire(t, s.database)
	key := s.makeKey(t)
	a, b := s.through(w).spawn(t, "127.0.0.1:0"), s.through(w).spawn(t, "127.0.0.1:0")
	l := newLoad(t, newClient(t, a.url, key), newClient(t, b.url, key))
	began, cut := time.Now(), 0
	l.during(t, func() {
		for tick := range time.Tick(40 * time.Millisecond) {
			cut += w.cut(1, cut%2 == 0)
			if cut >= 2000 || tick.Sub(began) > 3*time.Minute {
				return
			}
		}
	})
	t.Logf("%d connections cut in %v", cut, time.Since(began).Round(time.Second))
	require.GreaterOrEqual(t, cut, 2000)
	l.check(t)
	a.mustLive(t)
	b.mustLive(t)
}

// TestSoakPause stops one of two processes for a minute under load, so that the
// other takes its work over, and lets it go on.
func TestSoakPause(t *testing.T) {
	soak(t)
	s := newPlace(t, storetest.Postgres(t).Database)
	key := s.makeKey(t)
	victim, survivor := s.spawn(t, "127.0.0.1:0"), s.spawn(t, "127.0.0.1:0")
	l := newLoad(t, newClient(t, survivor.url, key))
	l.during(t, func() {
		<-time.After(10 * time.Second)
		require.NoError(t, victim.cmd.Process.Signal(syscall.SIGSTOP))
		<-time.After(time.Minute)
		require.NoError(t, victim.cmd.Process.Signal(syscall.SIGCONT))
		<-time.After(20 * time.Second)
	})
	l.check(t)
	living, err := db.Of(s.open(t)).Queue.Processes(t.Context())
	require.NoError(t, err)
	require.Len(t, living, 2, "who was taken for dead has not come back")
	victim.mustLive(t)
	survivor.mustLive(t)
}

// TestSoakClock sets the clock of the PostgreSQL server under load: two minutes
// ahead, then an hour back, then right.
func TestSoakClock(t *testing.T) {
	soak(t)
	clock := newFalseClock(t)
	_, o := storetest.OwnServer(t)
	clock.onlyTheServer(t)
	s := newPlace(t, o.Database)
	key := s.makeKey(t)
	a, b := s.spawn(t, "127.0.0.1:0"), s.spawn(t, "127.0.0.1:0")
	l := newLoad(t, newClient(t, a.url, key), newClient(t, b.url, key))
	l.during(t, func() {
		for _, off := range []time.Duration{0, 2 * time.Minute, -time.Hour, 0} {
			clock.set(t, s.database, off)
			<-time.After(15 * time.Second)
		}
	})
	clock.set(t, s.database, -time.Hour)
	l.check(t)
	a.mustLive(t)
	b.mustLive(t)
}

// mustLive fails the test when the process has ended.
func (c *child) mustLive(t *testing.T) {
	t.Helper()
	require.NoError(t, c.cmd.Process.Signal(syscall.Signal(0)))
	state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.cmd.Process.Pid))
	require.NoError(t, err)
	require.NotContains(t, string(state), ") Z ", "the process has ended")
}
