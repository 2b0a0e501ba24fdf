// Package cluster knows the processes that share a database, which of them are alive, and
// the abilities of each process.
//
// The processes need not have the same abilities. If a process cannot do a piece of work,
// it leaves the work to a process that can. Work that no living process can do ends with
// an error.
package cluster

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/queue"
)

// ElsewherePause is the pause before a step goes back into the queue for another process.
const ElsewherePause = time.Second

// maxAge limits the age of the list of processes in memory.
const maxAge = 2 * time.Second

// ErrNoWorkers says that no working process is alive.
var ErrNoWorkers = errors.New("no process that works has given a sign of life for half a minute")

// Config describes this process and where the list of processes comes from.
type Config struct {
	Self Abilities
	Idle bool // this process only accepts requests
	// Processes reads the list of processes. nil means that no other process shares the
	// database.
	Processes func(context.Context) ([]queue.Process, error)
	Log       *slog.Logger
}

// Cluster is this process's view of all processes. A Cluster is safe for concurrent use.
type Cluster struct {
	cfg Config

	mu     sync.Mutex
	read   time.Time // when the list was last read
	living Team
}

// New returns the view of the process that c describes.
func New(c Config) *Cluster { return &Cluster{cfg: c} }

// Shared reports whether other processes may share the database.
func (c *Cluster) Shared() bool { return c.cfg.Processes != nil }

// Self returns the abilities of this process.
func (c *Cluster) Self() Abilities { return c.cfg.Self }

// Alone returns a team that consists of this process only.
func (c *Cluster) Alone() Team { return Team{c.cfg.Self} }

// Living returns the living processes, including this process if it works. The list is at
// most 2 s old. While the database is not available, Living returns the last known list.
func (c *Cluster) Living(ctx context.Context) Team { return c.livingSince(ctx, maxAge) }

func (c *Cluster) livingSince(ctx context.Context, age time.Duration) Team {
	if !c.Shared() {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.read) < age {
		return c.living
	}
	all, err := c.cfg.Processes(context.WithoutCancel(ctx)) // other callers wait for the same answer
	c.read = time.Now()
	if err != nil {
		c.cfg.Log.WarnContext(ctx, "the list of processes could not be read", "err", err)
		return c.living
	}
	c.living = nil
	for _, process := range all {
		if process.Silent < silence {
			c.living = append(c.living, readAbilities(process.Abilities))
		}
	}
	return c.living
}

// Awake returns the ids of the processes that sent a heartbeat within the last two
// intervals. A process that has just died is still in the list of processes.
func (c *Cluster) Awake(ctx context.Context) (ids []string, err error) {
	if !c.Shared() {
		return nil, nil
	}
	all, err := c.cfg.Processes(ctx)
	for _, process := range all {
		if process.Silent < 2*beatEvery {
			ids = append(ids, process.ID)
		}
	}
	return ids, err
}

// Team returns all processes that work, this process first. The list is at most 2 s old.
// If no process works, for example because all of them are restarting, the result has one
// process with unknown abilities, so that the work waits for the processes.
func (c *Cluster) Team(ctx context.Context) Team { return c.teamSince(ctx, maxAge) }

// TeamNow is Team with a list that is read now.
func (c *Cluster) TeamNow(ctx context.Context) Team { return c.teamSince(ctx, 0) }

func (c *Cluster) teamSince(ctx context.Context, age time.Duration) Team {
	switch all := c.livingSince(ctx, age); {
	case !c.cfg.Idle:
		return append(c.Alone(), all...)
	case len(all) == 0:
		return Team{{unknown: true}}
	default:
		return all
	}
}

// OnlyOthers reports whether another process can do something that this process cannot.
// Before it answers that no process can, it reads the list of processes again.
func (c *Cluster) OnlyOthers(ctx context.Context, can func(Team) bool) bool {
	return !can(c.Alone()) && (can(c.Team(ctx)) || can(c.TeamNow(ctx)))
}
