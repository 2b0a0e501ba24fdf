package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

const (
	// never is so long that River's rescuer ignores all runs. The rescuer uses only the age of a run,
	// so it would have to wait longer than the longest step may take, which is two hours. With a limit
	// of six seconds, it put a run back into the queue 19 seconds after the death of the process on
	// SQLite, and 23 seconds on PostgreSQL (measured). Lost needs only the heartbeats: a process that
	// starts on SQLite takes up lost runs at once, and on PostgreSQL the others do so within half a
	// minute.
	never = 10 * 365 * 24 * time.Hour
	// maxAttempts is so large that River never gives up a step, because the pipeline counts the
	// attempts. By default, River gives up a step after 25 fetches. With the pauses of soon, this
	// is after 90 seconds in which the database is not available, or in which the step cannot
	// record its fault for another reason.
	maxAttempts = 10_000
	// lookInterval is for steps that are not announced: steps that were put off or have failed.
	lookInterval = time.Second
)

// Enqueue puts a step into the queue within the transaction. The accounts whose steps wait
// in one queue take turns: see placeOf.
func (tx Tx) Enqueue(ctx context.Context, step Step) error {
	args, err := json.Marshal(step)
	if err != nil {
		return sqldb.Wrap("enqueue "+step.Kind(), err)
	}
	place, err := tx.placeOf(ctx, step.Queue(), workOf(args))
	if err != nil {
		return err
	}
	return tx.insertAt(ctx, step, place)
}

// EnqueueFor is Enqueue of a step for accounts that the caller knows.
func (tx Tx) EnqueueFor(ctx context.Context, step Step, who Waiting) error {
	place, err := tx.pay(ctx, line{step.Queue(), who.priority()}, who.Turns)
	if err != nil {
		return err
	}
	return tx.insertAt(ctx, step, place)
}

// EnqueueAt is Enqueue for a step that must not run before a time. The step runs up to a
// second after that time if a worker is free. The database's clock measures the pause.
//
// The step is available at once, because River fetches no step before its time. A scheduled
// step would wait for a leader. After an outage of the database, a River client waits for up to
// 64 seconds before it tries to lead again, and no setting shortens the wait. Without a leader,
// the sweep and the removal of ended rows are late, but no job waits for them.
func (tx Tx) EnqueueAt(ctx context.Context, step Step, at time.Time) error {
	pause := time.Until(at)
	now, err := sqldb.Now(ctx, tx.sql.Tx, tx.sql.Shared())
	if err != nil {
		return err
	}
	ctx = context.WithValue(ctx, availableKey{}, true)
	return tx.insertStep(ctx, step, &river.InsertOpts{Queue: step.Queue(), ScheduledAt: now.Add(pause)})
}

// EnqueueOnce is Enqueue for a step after a pause, unless an equal step already waits: that step
// then does the work of both, at its own time.
func (tx Tx) EnqueueOnce(ctx context.Context, step Step, pause time.Duration) error {
	waits, err := tx.stepWaits(ctx, step)
	if err != nil || waits {
		return err
	}
	if err := tx.sql.Lock(ctx, fmt.Sprintf("step/%s/%+v", step.Kind(), step)); err != nil {
		return err
	}
	waits, err = tx.stepWaits(ctx, step) // of a transaction that had the lock
	if err != nil || waits {
		return err
	}
	return tx.enqueueAfter(ctx, step, pause)
}

// enqueueAfter is Enqueue for a step after a pause.
func (tx Tx) enqueueAfter(ctx context.Context, step Step, pause time.Duration) error {
	if pause <= atOnce {
		return tx.Enqueue(ctx, step)
	}
	return tx.EnqueueAt(ctx, step, time.Now().Add(pause))
}

// Requeue replaces a run that is lost or has not begun by a new row, and reports whether it did.
// The step keeps its place in the queue. Requeue does nothing if another process has already put
// the step there, or if the run has ended meanwhile. A step that still runs as the old run finds
// that the old run no longer exists.
func (tx Tx) Requeue(ctx context.Context, row Row) (bool, error) {
	held, err := tx.Holds(ctx, row)
	if err != nil || !held {
		return false, err
	}
	place, err := tx.placeOfRow(ctx, row.ID)
	if err != nil {
		return false, err
	}
	if place.Tag >= firstTime { // the step was postponed, and comes after all steps with a tag
		err = tx.Enqueue(ctx, storedStep{row})
	} else {
		err = tx.insertAt(ctx, storedStep{row}, place)
	}
	if err != nil {
		return false, err
	}
	return true, tx.Finish(ctx, row)
}

// insertAt puts a step into its place.
func (tx Tx) insertAt(ctx context.Context, step Step, p Place) error {
	ctx = context.WithValue(ctx, availableKey{}, true)
	return tx.insertStep(ctx, step, &river.InsertOpts{Queue: step.Queue(), Priority: p.Priority, ScheduledAt: p.At()})
}

func (tx Tx) insertStep(ctx context.Context, step Step, opts *river.InsertOpts) error {
	return sqldb.Wrap("enqueue "+step.Kind(), tx.sql.Enqueue(ctx, step, opts))
}

// availableKey marks the context of an insert whose step is available at once, even if the
// step has a time.
type availableKey struct{}

// available is a hook of River's for inserts. River itself makes a step with a time
// scheduled, and only the leader looks at scheduled steps, every five seconds.
type available struct{ river.HookDefaults }

// InsertBegin is called before each insert.
func (*available) InsertBegin(ctx context.Context, p *rivertype.JobInsertParams) error {
	if ctx.Value(availableKey{}) != nil && p.State == rivertype.JobStateScheduled {
		p.State = rivertype.JobStateAvailable
	}
	return nil
}

// workOf returns the id of the work in a step's arguments, or empty if they name none.
func workOf(args []byte) string {
	var named struct {
		Work string `json:"extraction"`
	}
	_ = json.Unmarshal(args, &named) // arguments of another form name no work
	return named.Work
}

// storedStep is the step of a run.
type storedStep struct{ row Row }

func (s storedStep) Kind() string                 { return s.row.Kind }
func (s storedStep) Queue() string                { return s.row.Queue }
func (s storedStep) MarshalJSON() ([]byte, error) { return s.row.Args, nil }

// Inserts configures a client that only inserts. River sends at most one wake-up per
// cool-down, and later inserts then wait for the next poll, so the inserting side has the
// least cool-down.
func Inserts(log *slog.Logger) *river.Config {
	return &river.Config{
		FetchCooldown: river.FetchCooldownMin,
		MaxAttempts:   maxAttempts,
		Logger:        sqldb.Quiet(log),
		Hooks:         []rivertype.Hook{&available{}},
	}
}
