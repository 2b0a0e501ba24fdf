package sqldb

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
)

// The limits for a transaction, or for a statement outside of a transaction. After the
// bound the error is outage.ErrUnavailable.
const (
	answerTime = 4 * time.Second // a caller waits for the answer
	workTime   = time.Minute     // no caller waits
	// RiverBound limits each of River's own statements on PostgreSQL.
	RiverBound = 10 * time.Second
)

// within marks a statement inside of a bound: the statement has no bound of its own.
const within = time.Duration(-1)

type patienceKey struct{}

// Unhurried returns a context whose calls of a Store give the database a minute each,
// and not four seconds. It is for work without a waiting caller, whose statements may
// be large.
func Unhurried(ctx context.Context) context.Context { return withPatience(ctx, workTime) }

// Patient returns a context whose calls of a Store give the database d each. It returns ctx itself
// if ctx says already how long.
func Patient(ctx context.Context, d time.Duration) context.Context {
	if ctx.Value(patienceKey{}) != nil {
		return ctx
	}
	return withPatience(ctx, d)
}

// Sized returns a context whose calls of a Store give the database longer than ctx
// does: a second more for each 256 KiB of written bytes. It is for a statement or a
// transaction whose size the caller decides, such as the write of a text.
func Sized(ctx context.Context, bytes int) context.Context {
	patience := patienceOf(ctx)
	if patience == within {
		return ctx
	}
	return withPatience(ctx, patience+time.Duration(bytes)*time.Second/slowest)
}

// slowest is how many bytes in a second a database writes at least under load. A slower
// database counts as not available.
const slowest = 256 << 10

// unbounded removes the limit, for changes of tables.
func unbounded(ctx context.Context) context.Context { return withPatience(ctx, within) }

func withPatience(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, patienceKey{}, d)
}

func patienceOf(ctx context.Context) time.Duration {
	if d, ok := ctx.Value(patienceKey{}).(time.Duration); ok {
		return d
	}
	return answerTime
}

// statementBound limits the statements outside of InTx.
type statementBound struct{ gate *gate }

type cancelKey struct{}

// BeforeQuery cannot return an error, so it refuses by a context that has ended.
func (b statementBound) BeforeQuery(ctx context.Context, event *bun.QueryEvent) context.Context {
	if patienceOf(ctx) == within {
		if each, bounded := ctx.Value(eachKey{}).(time.Duration); bounded {
			ctx, cancel := context.WithTimeout(ctx, each)
			event.Stash = map[any]any{cancelKey{}: func(error) { cancel() }}
			return ctx
		}
		return ctx
	}
	ctx, leave, err := b.gate.enter(ctx)
	if err != nil {
		ended, cancel := context.WithTimeout(ctx, 0)
		cancel()
		return ended
	}
	event.Stash = map[any]any{cancelKey{}: leave}
	return ctx
}

// AfterQuery is called when the rows have been read.
func (b statementBound) AfterQuery(_ context.Context, event *bun.QueryEvent) {
	if leave, ok := event.Stash[cancelKey{}].(func(error)); ok {
		leave(event.Err)
	}
}

// queueBound limits the statements that River sends without a bound of its own. A dead
// connection under a fetch may give no sign.
type queueBound struct{}

// TraceQueryStart returns the context for a statement.
func (queueBound) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	var cancel context.CancelFunc = func() {}
	if _, has := ctx.Deadline(); !has && patienceOf(ctx) != within {
		ctx, cancel = context.WithTimeout(ctx, RiverBound)
	}
	return context.WithValue(ctx, cancelKey{}, cancel)
}

// TraceQueryEnd ends the bound when the rows have been read.
func (queueBound) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryEndData) {
	ctx.Value(cancelKey{}).(context.CancelFunc)()
}
