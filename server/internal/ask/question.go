package ask

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	// recentFor is how long an answer stays in memory. It is longer than any read of the
	// cache.
	recentFor = 15 * time.Second
	// notAskedRetry is the RetryAfter of a question that was not asked, in seconds.
	notAskedRetry = 5
)

// question is what a reader wants to know from a platform. A is the type of the answer.
type question[A any] interface {
	// key is the same for equal questions.
	key() string
	// askable reports whether a process of the team can ask the platform.
	askable(t cluster.Team) bool
	// ask asks the platform until within ends, and stores an answer for the cache until
	// ctx ends. It calls soFar with each better answer that is not the last.
	ask(ctx, within context.Context, soFar func(A, error)) (A, error)

	// row converts the question into a row for another process. pack and unpack convert the
	// answer in that row.
	row() *Lookup
	pack(A) Answered
	unpack(context.Context, *Answered) (A, error)
}

// desk handles the questions of one kind. If several readers ask the same question at the
// same time, one process that can ask it asks once. The number of questions at the same
// time is limited.
type desk[A any] struct {
	*slots
	queue   string // of the steps for other processes
	store   *db.Store
	cluster *cluster.Cluster
	log     *slog.Logger

	patience time.Duration // how long each reader waits for the answer
	// late is how much longer a question may take than its readers wait. It is for kinds
	// whose answers the cache stores. If it is 0, a question ends with its last reader.
	late time.Duration

	mu     sync.Mutex
	open   map[string]*opened[A] // by key
	recent map[string]recent[A]  // by key
}

// opened is one question that this process asks, for all its readers.
type opened[A any] struct {
	began   time.Time
	ctx     context.Context
	cancel  context.CancelFunc
	readers int
	best    atomic.Pointer[reply[A]] // nil until the platform is asked
	done    chan struct{}            // closed after the last reply
	last    reply[A]
}

// reply is an answer, or an error with the facts that were learned before it.
type reply[A any] struct {
	answer A
	err    error
}

// recent is an answer with the time when it was stored.
type recent[A any] struct {
	answer A
	at     time.Time
}

func newDesk[A any](n int, queue string, c Config, patience, late time.Duration) *desk[A] {
	return &desk[A]{
		slots: newSlots(n), queue: queue, store: c.Store, cluster: c.Cluster, log: c.Log, patience: patience, late: late,
		open: map[string]*opened[A]{}, recent: map[string]recent[A]{},
	}
}

// answer returns the answer to a question. When the reader's patience ends, it returns
// the best reply so far: UPSTREAM_FAILED if the platform is slow, SERVICE_UNAVAILABLE if
// the platform was not asked. An error comes with the facts that were learned before it.
// looked is when the reader found nothing in the cache; an answer since then also counts.
func (d *desk[A]) answer(ctx context.Context, q question[A], looked time.Time) (A, error) {
	if d.cluster.OnlyOthers(ctx, q.askable) {
		return d.fromOthers(ctx, q)
	}
	o, found := d.join(q, looked)
	if o == nil {
		return found, nil
	}
	defer d.leave(q.key(), o)
	timer := time.NewTimer(d.patience)
	defer timer.Stop()
	select {
	case <-o.done:
		return o.last.answer, o.last.err
	case <-timer.C:
		return d.overdue(o)
	case <-ctx.Done():
		var none A
		return none, context.Cause(ctx)
	}
}

// join adds a reader to an equal question, or opens the question. If the patience of the
// first reader has ended, the question is asked again. If a recent answer is valid, join
// returns that answer and nil.
func (d *desk[A]) join(q question[A], looked time.Time) (o *opened[A], found A) {
	key := q.key()
	d.mu.Lock()
	defer d.mu.Unlock()
	if r, ok := d.recent[key]; ok && !r.at.Before(looked) {
		return nil, r.answer
	}
	o = d.open[key]
	if o == nil || time.Since(o.began) >= d.patience {
		o = &opened[A]{began: time.Now(), done: make(chan struct{})}
		o.ctx, o.cancel = context.WithTimeout(d.ctx, d.longest())
		d.open[key] = o
		go d.run(q, o)
	}
	o.readers++
	return o, found
}

// longest is how long a question may take, including the wait for a slot. A reader who
// joins late has the full time too.
func (d *desk[A]) longest() time.Duration { return 2*d.patience + d.late }

// run asks a question as soon as a slot is free.
func (d *desk[A]) run(q question[A], o *opened[A]) {
	defer o.cancel()
	defer close(o.done)
	if err := d.take(o.ctx); err != nil {
		o.last.err = notAsked().Because(err)
		d.close(q.key(), o)
		return
	}
	defer d.give()
	soFar := func(a A, err error) { o.best.Store(&reply[A]{a, err}) }
	var none A
	soFar(none, d.tooLate())
	o.last.answer, o.last.err = q.ask(d.ctx, o.ctx, soFar)
	d.close(q.key(), o)
}

// close ends a question with its last reply. A good answer stays in memory for readers
// who looked into the cache before the answer was stored.
func (d *desk[A]) close(key string, o *opened[A]) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open[key] == o {
		delete(d.open, key)
	}
	if o.last.err != nil || d.late == 0 {
		return
	}
	r := recent[A]{o.last.answer, time.Now()}
	d.recent[key] = r
	time.AfterFunc(recentFor, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.recent[key].at.Equal(r.at) {
			delete(d.recent, key)
		}
	})
}

// leave removes a reader. If the answers of the kind are not stored, the question ends
// with its last reader.
func (d *desk[A]) leave(key string, o *opened[A]) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if o.readers--; o.readers > 0 || d.late > 0 {
		return
	}
	o.cancel()
	if d.open[key] == o {
		delete(d.open, key)
	}
}

// overdue is the reply for a reader whose patience has ended.
func (d *desk[A]) overdue(o *opened[A]) (A, error) {
	best := o.best.Load()
	if best == nil {
		var none A
		return none, notAsked()
	}
	if late := d.tooLate(); countsMore(late, best.err) {
		var none A
		return none, late
	}
	return best.answer, best.err
}

// tooLate is the error of a platform that did not answer in time.
func (d *desk[A]) tooLate() error {
	return transcript.Errorf(transcript.UpstreamFailed, "The platform did not answer within %s.", d.patience)
}

// notAsked is the error of a question that the service did not ask in time. The platform
// is not the cause.
func notAsked() *transcript.Error {
	e := transcript.Errorf(transcript.ServiceUnavailable, "No process of the service can ask the platform just now.")
	e.RetryAfter = notAskedRetry
	return e
}

// guard runs a call to a platform and gives its error a code. A panic of an adapter must
// not end the process.
func guard(run func() error) error {
	if err := attempt.Guard(run); err != nil {
		return attempt.Coded(err)
	}
	return nil
}
