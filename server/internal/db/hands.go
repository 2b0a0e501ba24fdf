package db

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
)

// freshBeat is how long after a beat a process may fetch work: one that has
// stood still first learns whether it was taken for dead.
const freshBeat = 15 * time.Second

// hands knows what a River client has in its hands: every run that it was given
// by the database and whose end it has not yet written there. Safe for
// concurrent use.
type hands struct {
	takes   func(queue string) bool // see Workers
	workers map[string]int          // by queue

	mu       sync.Mutex
	held     map[int64]bool
	fetching map[string]int // answers under way, by queue
	beat     time.Time      // the last one
	lookout
}

func newHands(takes func(queue string) bool, workers map[string]int) *hands {
	if takes == nil {
		takes = func(string) bool { return true }
	}
	return &hands{takes: takes, workers: workers, held: map[int64]bool{}, fetching: map[string]int{}, lookout: newLookout(workers)}
}

// hasBeaten notes that the process has given a sign of life at a time.
func (h *hands) hasBeaten(at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.beat = at
}

// reach begins a fetch; false: the queue is for others, or the process may be dead
// to them.
func (h *hands) reach(queue string) bool {
	if !h.takes(queue) {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Since(h.beat) > freshBeat {
		return false
	}
	h.fetching[queue]++
	return true
}

// take ends a fetch with what it has brought.
func (h *hands) take(queue string, rows []*rivertype.JobRow) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fetching[queue]--
	for _, row := range rows {
		h.held[row.ID] = true
		h.busy[row.ID] = queue
	}
}

// drop notes that the ends of runs are written.
func (h *hands) drop(ids []int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range ids {
		delete(h.held, id)
		delete(h.busy, id)
	}
}

// unheard returns what of the process's running work the client has never heard
// of: the answer that brought it was lost. The rows must have been read before.
// What may be in an answer under way is left for another time. A run that has
// ended since it was read may be among them: Requeue leaves that alone.
func (h *hands) unheard(running []Work) []Work {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.DeleteFunc(running, func(w Work) bool { return h.held[w.ID] || h.fetching[w.Queue] > 0 })
}

// queueDriver is River's driver for a client that works. It notes what the client
// has in its hands, and lets accounts take turns.
type queueDriver[T any] struct {
	riverdriver.Driver[T]

	hands *hands
	turns turns
}

func (d queueDriver[T]) GetExecutor() riverdriver.Executor {
	return executor{d.Driver.GetExecutor(), d.hands, d.turns}
}

func (d queueDriver[T]) GetListener(p *riverdriver.GetListenenerParams) riverdriver.Listener {
	return listensForEnds{d.Driver.GetListener(p), d.hands}
}

type executor struct {
	riverdriver.Executor

	hands *hands
	turns turns
}

// JobGetAvailable fetches work.
func (e executor) JobGetAvailable(ctx context.Context, p *riverdriver.JobGetAvailableParams) (*riverdriver.JobGetAvailableResult, error) {
	got := &riverdriver.JobGetAvailableResult{}
	if !e.hands.reach(p.Queue) {
		return got, nil
	}
	defer func() { e.hands.take(p.Queue, got.Jobs) }()
	called := *p
	if called.Now == nil { // the same for all statements: what comes meanwhile must not be taken for what is fetched
		called.Now = new(time.Now())
	}
	waiting, n, err := e.turns.callUp(ctx, e.Executor, &called, e.hands.workers[p.Queue])
	if err != nil {
		return nil, err
	}
	if n > 0 {
		called.MaxToLock = n
		fetched, err := e.Executor.JobGetAvailable(ctx, &called)
		if err != nil {
			return nil, err
		}
		got = fetched
	}
	// River looks again at the next end of a run only if it has got all that it asked for.
	e.hands.leave(p.Queue, p.MaxToLock, len(got.Jobs) < min(waiting, p.MaxToLock))
	return got, nil
}

// JobSetStateIfRunningMany writes the ends of runs. On PostgreSQL River's
// statement returns a row as it was before when another transaction removes or
// changes it at the same moment, and the client panics over a run that has not
// ended. Such a row is left out, as one that has been gone for long is.
func (e executor) JobSetStateIfRunningMany(ctx context.Context, p *riverdriver.JobSetStateIfRunningManyParams) ([]*rivertype.JobRow, error) {
	rows, err := e.Executor.JobSetStateIfRunningMany(ctx, p)
	if err != nil {
		return nil, err
	}
	e.hands.drop(p.ID)
	return slices.DeleteFunc(rows, func(row *rivertype.JobRow) bool {
		return row.State == rivertype.JobStateRunning || row.State == rivertype.JobStatePending
	}), nil
}

// LeaderAttemptElect bids for what one process of all does, such as to start
// scheduled work when its time has come. A database that is away counts as a bid
// that lost: River then bids again in five seconds, and does not double its
// pauses up to a minute.
func (e executor) LeaderAttemptElect(ctx context.Context, p *riverdriver.LeaderElectParams) (*riverdriver.Leader, error) {
	leader, err := e.Executor.LeaderAttemptElect(ctx, p)
	if passes(err) {
		return nil, rivertype.ErrNotFound
	}
	return leader, err
}
