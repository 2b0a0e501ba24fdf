package cluster

import (
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/queue"
)

const (
	// LookEvery is the interval between two checks of the list of processes.
	LookEvery = 5 * time.Second
	// silence is how long a process may go without a heartbeat. After that, the other
	// processes consider it dead and take over its work.
	silence = 30 * time.Second
	// maxSilentLooks is the same limit as a number of checks.
	maxSilentLooks = int(silence / LookEvery)
)

// Census detects dead processes. For each process it counts the consecutive checks
// without a new heartbeat. It counts checks instead of time. A process that was suspended
// has checked less often, and does not consider another process dead because of its own
// pause. The zero value is ready for use by one goroutine at a time.
type Census struct {
	looks map[string]look
}

type look struct {
	sign   string // the last heartbeat
	silent int    // checks without a new heartbeat
}

// Dead counts one check of the list of processes. It returns the processes that have been
// silent for too long.
func (c *Census) Dead(processes []queue.Process) (dead []queue.Process) {
	looks := make(map[string]look, len(processes))
	for _, process := range processes {
		l := look{sign: process.Sign}
		if before, known := c.looks[process.ID]; known && before.sign == process.Sign {
			l.silent = before.silent + 1
		}
		looks[process.ID] = l
		if l.silent >= maxSilentLooks {
			dead = append(dead, process)
		}
	}
	c.looks = looks
	return dead
}

// The intervals between two checks of the sessions of processes: the usual one, and the one after
// a check that has found a process without its lock.
const (
	glanceEvery = time.Second
	glanceAgain = 300 * time.Millisecond
)

// Glances detects processes whose sessions with the database have ended. One check is not enough,
// because a process that replaces a broken connection has no session for a moment. The zero value
// is ready for use by one goroutine at a time.
type Glances struct {
	signs map[string]string // the heartbeats of the processes that the last check has found
}

// Pause is the time until the next check.
func (g *Glances) Pause() time.Duration {
	if len(g.signs) > 0 {
		return glanceAgain
	}
	return glanceEvery
}

// Dead counts a check that has found the given processes without a session. It returns the
// processes that the previous check has found too, and that have sent no heartbeat since.
func (g *Glances) Dead(ended []queue.Process) (dead []queue.Process) {
	signs := make(map[string]string, len(ended))
	for _, process := range ended {
		if sign, before := g.signs[process.ID]; before && sign == process.Sign {
			dead = append(dead, process)
		}
		signs[process.ID] = process.Sign
	}
	g.signs = signs
	return dead
}
