package cluster

import (
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
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
func (c *Census) Dead(processes []db.Process) (dead []db.Process) {
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
