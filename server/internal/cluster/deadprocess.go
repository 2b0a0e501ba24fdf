package cluster

import (
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/queue"
)

const (
	// LookEvery is the pause between two looks at the list of processes.
	LookEvery = 5 * time.Second
	// silence is how long a process may go without a heartbeat. Then the other processes
	// take it for dead and take over its work.
	silence = 30 * time.Second
	// maxSilentLooks is the same bound as a number of looks.
	maxSilentLooks = int(silence / LookEvery)
)

// Census notices dead processes. For each process it counts the looks in a row without a
// new sign of life. It counts looks instead of time: a process that was suspended has
// looked less often, and takes no other process for dead because of its own pause. The
// zero value is ready for use, by one goroutine at a time.
type Census struct {
	looks map[string]look
}

type look struct {
	sign   string // the last sign of life
	silent int    // looks without a new sign
}

// Dead counts one look at the list of processes. It returns the processes that have been
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

// Between two glances at the sessions of processes: usually, and after a glance that has found one
// without its lock.
const (
	glanceEvery = time.Second
	glanceAgain = 300 * time.Millisecond
)

// Glances notices processes whose sessions with the database have ended. One glance is not enough:
// a process that replaces a broken connection is without its session for a moment. The zero value is
// ready for use, by one goroutine at a time.
type Glances struct {
	signs map[string]string // the signs of life of those that the last glance has found
}

// Pause is the time until the next glance.
func (g *Glances) Pause() time.Duration {
	if len(g.signs) > 0 {
		return glanceAgain
	}
	return glanceEvery
}

// Dead counts a glance that has found the processes ended. It returns those that the glance before
// has found too, and that have given no sign of life since.
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
