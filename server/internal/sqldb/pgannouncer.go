package sqldb

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/uptrace/bun"
)

// announceEvery is the shortest time from one statement that notifies to the next.
const announceEvery = 5 * time.Millisecond

// announcer tells the other processes which topics commits have changed. The announcer waits for
// no statement of a transaction: PostgreSQL lets one transaction with notifications commit at a
// time, so the commits would wait for each other's writes to the disk. A statement that only
// notifies writes nothing. It announces the topics of all commits since the previous statement.
type announcer struct {
	db     *bun.DB
	log    *slog.Logger
	due    chan struct{}
	cancel context.CancelFunc
	done   chan struct{}

	mu     sync.Mutex
	topics []string // not announced yet
}

func announce(ctx context.Context, db *bun.DB, log *slog.Logger) *announcer {
	a := &announcer{db: db, log: log, due: make(chan struct{}, 1), done: make(chan struct{})}
	ctx, a.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go a.run(ctx)
	return a
}

// add has the topics announced soon.
func (a *announcer) add(topics ...string) {
	if len(topics) == 0 {
		return
	}
	a.mu.Lock()
	a.topics = append(a.topics, topics...)
	a.mu.Unlock()
	signal(a.due)
}

func (a *announcer) run(ctx context.Context) {
	defer close(a.done)
	telling := context.WithoutCancel(ctx) // the end of the announcer interrupts no statement
	for {
		select {
		case <-ctx.Done():
			a.tell(telling)
			return
		case <-a.due:
			a.tell(telling)
			rest(ctx, announceEvery)
		}
	}
}

// tell announces what is due. Watchers read the rows from time to time, so a failed statement
// is not repeated.
func (a *announcer) tell(ctx context.Context) {
	a.mu.Lock()
	topics := a.topics
	a.topics = nil
	a.mu.Unlock()
	if len(topics) == 0 {
		return
	}
	// The server merges equal notifications of a transaction.
	_, err := a.db.NewRaw("SELECT pg_notify(?, topic) FROM unnest(ARRAY[?]) AS topic", channel, bun.List(topics)).Exec(ctx)
	if err != nil {
		a.log.WarnContext(ctx, "store: other processes were not told of a change", "err", err)
	}
}

// close announces what is due, and ends the announcer.
func (a *announcer) close() {
	a.cancel()
	<-a.done
}
