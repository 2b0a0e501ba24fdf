package queue

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/server/internal/tables"
)

// This file has all statements on the rows of River's own tables; rivertables.go has our additions
// to these tables. River's public API does everything else: it inserts, fetches, completes, retries
// and cleans up. Each statement here answers a question that the API does not answer, or changes what
// the API does not change:
//
//   - The owner of a run (Holds, running): Client.JobGetTx reads a row without a lock. A run
//     that was taken over must not write, so each step locks its own row in the transaction
//     that writes. River's rescuer uses only the age of a run, and puts the same row back
//     into the queue; the end of the old run would then end the new run. So a lost run gets a
//     new row (Requeue).
//   - The end of a run in our transaction (Finish): river.JobCompleteTx works only in a
//     worker's own context, and Client.JobDeleteTx refuses a running row.
//   - The place in the queue (virtualNow, waitingSteps, moveStep, returnedSteps): River
//     cannot change the time and the priority of a waiting row. Client.JobUpdateTx changes a
//     row's output, and Client.JobRetryTx does not change a time in the past.
//   - The steps whose time has come (waitingQueues, announceQueues): River looks for them in
//     each queue by itself. For a delay of at most a second, 14 queues cost 14 statements a
//     second. The one statement for all queues costs one.
//   - The steps of single requests (SingleWaits), the work that has a step (Named), the number
//     of steps in each queue (Count): Client.JobList reads whole rows, 10,000 at most,
//     and does not count.
//   - The steps that no process takes (SweepUntaken): River's cleaner removes what has ended. If
//     all processes lose a hook, each job that ends leaves a row until the hook is forgotten.
//   - The steps of an account that is removed (DeleteOf): River does not look into arguments.
//
// The service does not use these features of River, because each does something
// different:
//
//   - Client.JobCancelTx ends a row. A cancel ends one account's job, and other accounts may
//     wait for the same step. The step itself looks for jobs that are left. This needs no
//     statement here.
//   - Unique jobs refuse a second row of equal arguments while the first row runs. A step
//     inserts its own next row, and Requeue a copy, in the transaction that ends the first
//     row. The tables of work and batches keep work unique. A step for the index that runs
//     may have read the rows before the change for which the second step is (stepWaits).
//   - river.JobSnooze is what a worker returns, so River writes the pause after the worker's
//     transaction, and a crash between the two loses the pause. RunAgain ends the run and inserts
//     the next row in the transaction. The cost is a deleted row and an inserted row, where River
//     changes one row.
//   - River's attempts and rescuer count every fetch of a row. The pipeline counts only the
//     attempts that a step has used, and keeps them with the work.

// Row is one run of a step: the step's row, as a worker has fetched it.
//
// A row belongs to the process that has fetched it until the run ends, or until Requeue
// has replaced it by a new row. A row never goes from one process to another: River
// writes the end of a run by the row's id, at any time, also in a process that the other
// processes take for dead.
type Row struct {
	ID      int64 // of the row; the database never gives it again
	Attempt int   // how often the row was fetched, from 1
	Kind    string
	Queue   string
	Args    []byte // JSON
}

// live is the condition of the rows that have not ended.
const live = "state IN ('available', 'pending', 'retryable', 'running', 'scheduled')"

// tagged is the condition of the rows whose time is a tag, returned that of the waiting
// rows whose time is a time. The index river_job_returned has the
// same words.
// Tags end and times begin with the year 2000. A queue gets there after 94 billion rounds.
const (
	tagged   = `scheduled_at < '2000-01-01 00:00:00+00'`
	returned = `state = 'available' AND scheduled_at >= '2000-01-01 00:00:00+00'`
	// firstTime is the year 2000 in milliseconds, as milliseconds returns it.
	firstTime = 946_684_800_000
)

// Lost returns the runs of processes that are not among the living, oldest first. They
// must be requeued.
func (q *Queue) Lost(ctx context.Context) ([]Row, error) {
	return q.running(ctx, `NOT EXISTS (SELECT 1 FROM processes AS p WHERE p.id = j.owner)`)
}

// running returns the runs that have not ended, of the owners that the condition selects.
func (q *Queue) running(ctx context.Context, condition string, values ...any) ([]Row, error) {
	owner, args, _ := q.sql.WorkColumns()
	var rows []Row
	err := q.sql.Reader().NewRaw(`SELECT id, attempt, kind, queue, args FROM (
			SELECT id, attempt, kind, queue, attempted_at, `+args+` AS args, `+owner+` AS owner
			FROM river_job WHERE state = 'running') AS j
		WHERE `+condition+` ORDER BY id`, values...).Scan(ctx, &rows)
	return rows, sqldb.Wrap("list running work", err)
}

// TakenUp reports whether one of the processes is at work on a step whose arguments name
// an id.
func (q *Queue) TakenUp(ctx context.Context, id string, by []string) (bool, error) {
	if len(by) == 0 {
		return false, nil
	}
	rows, err := q.running(ctx, "j.args LIKE ? AND j.owner IN (?)", "%"+strconv.Quote(id)+"%", bun.List(by))
	return len(rows) > 0, err
}

// Holds reports whether the run is still the one that does the work, and keeps it so until
// the transaction ends. It returns false after another run has replaced this one. A step
// calls it to prove that the step may write. Lock the work first.
func (tx Tx) Holds(ctx context.Context, row Row) (bool, error) {
	var id int64
	q := tx.sql.NewSelect().Table("river_job").Column("id").
		Where("id = ? AND attempt = ? AND state = 'running'", row.ID, row.Attempt)
	err := tx.sql.ForUpdate(q).Scan(ctx, &id)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, sqldb.Wrap(fmt.Sprintf("look at queue job %d", row.ID), err)
}

// Finish removes the row of a run that the transaction Holds.
func (tx Tx) Finish(ctx context.Context, row Row) error {
	_, err := tx.sql.NewRaw(`DELETE FROM river_job WHERE id = ?`, row.ID).Exec(ctx)
	return sqldb.Wrap(fmt.Sprintf("finish queue job %d", row.ID), err)
}

// milliseconds converts a time of River's into a tag.
func (tx Tx) milliseconds(column string) string { return tx.sql.Milliseconds(column) }

// placeOfRow is the place that a row has had until now.
func (tx Tx) placeOfRow(ctx context.Context, id int64) (p Place, err error) {
	err = tx.sql.NewRaw(`SELECT priority, `+tx.milliseconds("scheduled_at")+` FROM river_job WHERE id = ?`, id).Scan(ctx, &p.Priority, &p.Tag)
	return p, sqldb.Wrap(fmt.Sprintf("look for the place of queue job %d", id), err)
}

// virtualNow reads a line's virtual time, by River's index for fetches, and the finish times
// of turns. It returns a row for each turn that the line knows, and at least one row.
func (tx Tx) virtualNow(ctx context.Context, l line, turns []string) (rows []turnNow, err error) {
	at := tx.milliseconds("scheduled_at")
	err = tx.sql.NewRaw(`SELECT v.*, coalesce(f.turn, '') AS turn, f.finish FROM (SELECT
		(SELECT `+at+` FROM river_job WHERE state = 'running' AND queue = ?0 AND priority = ?1 AND `+tagged+` ORDER BY scheduled_at DESC LIMIT 1) AS served,
		(SELECT `+at+` FROM river_job WHERE state = 'available' AND queue = ?0 AND priority = ?1 AND `+tagged+` ORDER BY scheduled_at LIMIT 1) AS next,
		(SELECT max(finish) FROM fair_shares WHERE queue = ?0 AND priority = ?1) AS last) AS v
		LEFT JOIN fair_shares AS f ON f.queue = ?0 AND f.priority = ?1 AND f.turn IN (?2)`,
		l.queue, l.priority, bun.List(slices.Concat(turns, []string{""}))).Scan(ctx, &rows)
	return rows, sqldb.Wrap("look for the virtual time of "+l.queue, err)
}

// waitingStep is a step that has a place.
type waitingStep struct {
	ID       int64
	Queue    string
	Priority int
	Tag      int64
	Work     string `bun:"extraction"`
}

// waitingSteps returns the steps of work that wait for a worker, in their order.
func (tx Tx) waitingSteps(ctx context.Context, work string) (steps []waitingStep, err error) {
	_, _, of := tx.sql.WorkColumns()
	err = tx.sql.NewRaw(`SELECT id, queue, priority, `+tx.milliseconds("scheduled_at")+` AS tag FROM river_job
		WHERE state = 'available' AND `+of+` = ? AND `+tagged+` ORDER BY scheduled_at, id`, work).Scan(ctx, &steps)
	return steps, sqldb.Wrap("look for the waiting steps of extraction "+work, err)
}

// stepWaits reports whether an equal step waits for a worker. No worker takes that step before the
// transaction ends, so the step sees what the transaction does.
func (tx Tx) stepWaits(ctx context.Context, step Step) (bool, error) {
	args, err := json.Marshal(step)
	if err != nil {
		return false, sqldb.Wrap("look for an equal step", err)
	}
	_, column, _ := tx.sql.WorkColumns()
	if tx.sql.Shared() {
		column = "args" // which compares the members in any order
	}
	var ids []int64
	q := tx.sql.NewSelect().Table("river_job").Column("id").
		Where("state = 'available' AND queue = ? AND kind = ?", step.Queue(), step.Kind()).Where(column+" = ?", string(args)).Limit(1)
	err = tx.sql.KeepUnlocked(q).Scan(ctx, &ids)
	return len(ids) > 0, sqldb.Wrap("look for an equal step", err)
}

// moveStep gives a step that waits another place.
func (tx Tx) moveStep(ctx context.Context, id int64, to Place) error {
	_, err := tx.sql.NewRaw(`UPDATE river_job SET priority = ?, scheduled_at = ? WHERE id = ? AND state = 'available'`,
		to.Priority, tx.sql.RiverTime(to.At()), id).Exec(ctx)
	return sqldb.Wrap(fmt.Sprintf("move queue job %d", id), err)
}

// array is a JSON array of names of queues.
func array(queues []string) string { return `["` + strings.Join(queues, `","`) + `"]` }

// waitingQueues returns the queues in which a step waits and may run.
func (q *Queue) waitingQueues(ctx context.Context, queues []string) (waiting []string, err error) {
	err = q.sql.Ask(ctx, &waiting, `SELECT value FROM `+q.sql.Elements("?")+` WHERE EXISTS (SELECT 1 FROM river_job WHERE state = 'available'
		AND queue = value AND priority IN (?, ?) AND scheduled_at <= ?)`, array(queues), singlePriority, batchPriority, q.sql.RiverNow())
	return waiting, sqldb.Wrap("look for queues in which steps wait", err)
}

// announceQueues wakes the workers of the queues in all processes, as River's insert does.
func (tx Tx) announceQueues(ctx context.Context, queues []string) error {
	if !tx.sql.Shared() {
		tx.sql.Posted(queues...)
		return nil
	}
	_, err := tx.sql.NewRaw(`SELECT pg_notify(current_schema() || '.river_insert', CAST(json_build_object('queue', value) AS text)) FROM `+
		tx.sql.Elements("?"), array(queues)).Exec(ctx)
	return sqldb.Wrap("wake the workers of "+strings.Join(queues, ", "), err)
}

// returnedSteps locks steps that have come back and may now run.
func (tx Tx) returnedSteps(ctx context.Context) (steps []waitingStep, err error) {
	q := tx.sql.NewSelect().Table("river_job").Column("id", "queue").ColumnExpr("coalesce(args ->> 'extraction', '') AS extraction").
		Where(returned).Where("scheduled_at <= ?", tx.sql.RiverNow()).Order("scheduled_at").Limit(tables.Some)
	err = tx.sql.SkipLocked(q).Scan(ctx, &steps)
	return steps, sqldb.Wrap("look for steps that have come back", err)
}

// SingleWaits reports whether a step of a single request waits in a queue.
func (q *Queue) SingleWaits(ctx context.Context, queue string) (waits bool, err error) {
	err = q.sql.Reader().NewRaw(`SELECT EXISTS (SELECT 1 FROM river_job WHERE state = 'available' AND queue = ? AND priority = ? AND `+tagged+`)`,
		queue, singlePriority).Scan(ctx, &waits)
	return waits, sqldb.Wrap("look for single requests in "+queue, err)
}

// Named returns the ids in the arguments of unfinished steps, under a name: steps of work use
// "extraction", steps of batches use "batch".
func Named(name string) string {
	return `SELECT args ->> '` + name + `' FROM river_job WHERE ` + live
}

// Steps is the number of steps in a queue that are in one of the States.
type Steps struct {
	Queue, State string
	Steps        int
}

// States are the states of steps that have not ended. A step that waits for its time is scheduled:
// see EnqueueAt.
func States() []string {
	return []string{"available", "pending", "retryable", "running", "scheduled"}
}

// Count counts the steps in each queue that have not ended, by state.
func Count(ctx context.Context, db bun.IDB, d sqldb.Dialect) (all []Steps, err error) {
	err = db.NewRaw(`SELECT queue, CASE WHEN state = 'available' AND scheduled_at > ?0 THEN 'scheduled' ELSE CAST(state AS text) END AS state,
		count(*) AS steps FROM river_job WHERE `+live+` GROUP BY 1, 2`, d.RiverNow()).Scan(ctx, &all)
	return all, sqldb.Wrap("count the steps", err)
}

// SweepUntaken removes the steps of a queue that no process has taken since a time, a portion in each
// transaction. River itself removes the rows of steps that have ended: see Workers.
func (q *Queue) SweepUntaken(ctx context.Context, queue string, before time.Time) error {
	jobs := tables.Table{Name: "river_job", Key: []string{"id"}}
	for {
		var n int64
		err := q.sql.InTx(ctx, func(ctx context.Context, tx *sqldb.Tx) (err error) {
			n, err = jobs.Delete(ctx, tx.Tx, `queue = ?1 AND created_at < ?0
				AND state IN ('available', 'cancelled', 'completed', 'discarded', 'pending', 'retryable', 'scheduled')`, sqldb.Moment(before), queue)
			return err
		})
		if err != nil || n < tables.Some {
			return sqldb.Wrap("sweep the queue "+queue, err)
		}
	}
}

// DeleteOf removes at most 200 steps that name an account, and returns their number. It does
// not remove a running step, which finds no rows of the account. The row of such a step loses
// the name.
func (tx Tx) DeleteOf(ctx context.Context, account string) (int64, error) {
	nameless := "jsonb_remove(args, '$.account')"
	if tx.sql.Shared() {
		nameless = "args - 'account'"
	}
	_, err := tx.sql.NewRaw(`UPDATE river_job SET args = `+nameless+` WHERE args ->> 'account' = ? AND state = 'running'`, account).Exec(ctx)
	if err != nil {
		return 0, sqldb.Wrap("remove the name from steps of "+account, err)
	}
	res, err := tx.sql.NewRaw(`DELETE FROM river_job WHERE id IN (SELECT id FROM river_job WHERE args ->> 'account' = ? AND state <> 'running' LIMIT ?)`,
		account, tables.Some).Exec(ctx)
	n, err := affected(res, err)
	return n, sqldb.Wrap("delete steps of "+account, err)
}

// affected is the number of rows that a statement has changed.
func affected(res sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}
