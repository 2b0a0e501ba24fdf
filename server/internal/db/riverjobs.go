package db

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
// to these tables. River's public API does everything
// else: it inserts, fetches, completes, retries and cleans up. Each statement here answers
// a question that the API does not answer, or changes what the API does not change:
//
//   - The owner of a run (Holds, running): Client.JobGetTx reads a row without a lock. A run
//     that was taken over must not write, so each step locks its own row in the transaction
//     that writes. River's rescuer goes by the age of a run alone, and puts the same row into
//     the queue again; the old run's end would then end the new run. So a lost run gets a
//     new row (Requeue).
//   - The end of a run in our transaction (Finish): river.JobCompleteTx works only in a
//     worker's own context, and Client.JobDeleteTx refuses a running row.
//   - The place in the queue (virtualNow, waitingSteps, moveStep, returnedSteps): River
//     cannot change the time and the priority of a waiting row. Client.JobUpdateTx changes a
//     row's output, and Client.JobRetryTx leaves a time in the past as it is.
//   - The steps whose time has come (waitingQueues, announceQueues): River looks for them in
//     each queue by itself, at a price in every second in which there are none.
//   - The steps of single requests (singleWaits), the work in no queue (Stranded), the number
//     of steps in each queue (queueSteps): Client.JobList reads whole rows, 10,000 at most,
//     and does not count.
//   - The term of a leader that is dead (endTerm): River waits for the end of the term, and
//     a dead leader hears no request to resign.
//   - The calls of hooks that no process makes (SweepHookCalls): River's cleaner goes by states.
//   - The steps of an account that is removed (DeleteSteps): River does not look into arguments.
//
// The service uses none of these features of River, because each does something else:
//
//   - Client.JobCancelTx ends a row. A cancel ends one account's claim, and other accounts
//     may wait for the same step. The step itself looks for claims that are left.
//   - Unique jobs refuse a second row of equal arguments while the first row runs. A step
//     inserts its own next row, and Requeue a copy, in the transaction that ends the first
//     row. The tables of extractions and batches keep work unique. A step for the index that runs
//     may have read the rows before the change for which the second step is (stepWaits).
//   - river.JobSnooze is what a worker returns, so River writes the pause after the worker's
//     transaction, and a crash between the two loses the pause. RunAgain ends the run and
//     inserts the next row in the transaction.
//   - River's attempts and rescuer count every fetch of a row. The pipeline counts only the
//     attempts that a step has used, and keeps them with the extraction.

// Work is one run of a queue job: the job's row, as a worker has fetched it.
//
// A row belongs to the process that has fetched it until the run ends, or until Requeue
// has put a new row into its place. A row never goes from one process to another: River
// writes the end of a run by the row's id, at any time, also in a process that the other
// processes take for dead.
type Work struct {
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
// are to be requeued.
func (s *Store) Lost(ctx context.Context) ([]Work, error) {
	return s.running(ctx, `NOT EXISTS (SELECT 1 FROM processes AS p WHERE p.id = j.owner)`)
}

// running returns the runs that have not ended, of the owners that the condition selects.
func (s *Store) running(ctx context.Context, condition string, values ...any) ([]Work, error) {
	owner, args, _ := s.sql.WorkColumns()
	var work []Work
	err := s.db.NewRaw(`SELECT id, attempt, kind, queue, args FROM (
			SELECT id, attempt, kind, queue, attempted_at, `+args+` AS args, `+owner+` AS owner
			FROM river_job WHERE state = 'running') AS j
		WHERE `+condition+` ORDER BY id`, values...).Scan(ctx, &work)
	return work, wrap("list running work", err)
}

// TakenUp reports whether one of the processes is at work on a step whose arguments name
// an id.
func (s *Store) TakenUp(ctx context.Context, id string, by []string) (bool, error) {
	if len(by) == 0 {
		return false, nil
	}
	work, err := s.running(ctx, "j.args LIKE ? AND j.owner IN (?)", "%"+strconv.Quote(id)+"%", bun.List(by))
	return len(work) > 0, err
}

// Holds reports whether the run is still the one that does the work, and keeps it so until
// the transaction ends. It is false once another run was put in its place. A step proves
// with it that the step may write. Lock the extraction first.
func (tx *Tx) Holds(ctx context.Context, w Work) (bool, error) {
	var id int64
	q := tx.db.NewSelect().Table("river_job").Column("id").
		Where("id = ? AND attempt = ? AND state = 'running'", w.ID, w.Attempt)
	err := tx.sql.ForUpdate(q).Scan(ctx, &id)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, wrap(fmt.Sprintf("look at queue job %d", w.ID), err)
}

// Finish removes the row of a run that the transaction Holds.
func (tx *Tx) Finish(ctx context.Context, w Work) error {
	_, err := tx.db.NewRaw(`DELETE FROM river_job WHERE id = ?`, w.ID).Exec(ctx)
	return wrap(fmt.Sprintf("finish queue job %d", w.ID), err)
}

// milliseconds is a time of River's as a tag.
func (tx *Tx) milliseconds(column string) string { return tx.sql.Milliseconds(column) }

// placeOfRow is the place that a row has had until now.
func (tx *Tx) placeOfRow(ctx context.Context, id int64) (p QueuePlace, err error) {
	err = tx.db.NewRaw(`SELECT priority, `+tx.milliseconds("scheduled_at")+` FROM river_job WHERE id = ?`, id).Scan(ctx, &p.Priority, &p.Tag)
	return p, wrap(fmt.Sprintf("look for the place of queue job %d", id), err)
}

// virtualNow looks for a line's virtual time, by River's index for fetches, and for the finish
// times of turns. It returns a row for each turn that the line knows, and at least one row.
func (tx *Tx) virtualNow(ctx context.Context, l line, turns []string) (rows []turnNow, err error) {
	at := tx.milliseconds("scheduled_at")
	err = tx.db.NewRaw(`SELECT v.*, coalesce(f.turn, '') AS turn, f.finish FROM (SELECT
		(SELECT `+at+` FROM river_job WHERE state = 'running' AND queue = ?0 AND priority = ?1 AND `+tagged+` ORDER BY scheduled_at DESC LIMIT 1) AS served,
		(SELECT `+at+` FROM river_job WHERE state = 'available' AND queue = ?0 AND priority = ?1 AND `+tagged+` ORDER BY scheduled_at LIMIT 1) AS next,
		(SELECT max(finish) FROM fair_shares WHERE queue = ?0 AND priority = ?1) AS last) AS v
		LEFT JOIN fair_shares AS f ON f.queue = ?0 AND f.priority = ?1 AND f.turn IN (?2)`,
		l.queue, l.priority, bun.List(slices.Concat(turns, []string{""}))).Scan(ctx, &rows)
	return rows, wrap("look for the virtual time of "+l.queue, err)
}

// waitingStep is a step that has a place.
type waitingStep struct {
	ID         int64
	Queue      string
	Priority   int
	Tag        int64
	Extraction string
}

// waitingSteps returns the steps of an extraction that wait for a worker, in their order.
func (tx *Tx) waitingSteps(ctx context.Context, extraction string) (steps []waitingStep, err error) {
	_, _, of := tx.sql.WorkColumns()
	err = tx.db.NewRaw(`SELECT id, queue, priority, `+tx.milliseconds("scheduled_at")+` AS tag FROM river_job
		WHERE state = 'available' AND `+of+` = ? AND `+tagged+` ORDER BY scheduled_at, id`, extraction).Scan(ctx, &steps)
	return steps, wrap("look for the waiting steps of extraction "+extraction, err)
}

// stepWaits reports whether an equal step waits for a worker. No worker takes that step before the
// transaction ends, so the step sees what the transaction does.
func (tx *Tx) stepWaits(ctx context.Context, step Step) (bool, error) {
	args, err := json.Marshal(step)
	if err != nil {
		return false, wrap("look for an equal step", err)
	}
	_, column, _ := tx.sql.WorkColumns()
	if tx.shared {
		column = "args" // which compares the members in any order
	}
	var ids []int64
	q := tx.db.NewSelect().Table("river_job").Column("id").
		Where("state = 'available' AND queue = ? AND kind = ?", step.Queue(), step.Kind()).Where(column+" = ?", string(args)).Limit(1)
	err = tx.sql.KeepUnlocked(q).Scan(ctx, &ids)
	return len(ids) > 0, wrap("look for an equal step", err)
}

// moveStep gives a step that waits another place.
func (tx *Tx) moveStep(ctx context.Context, id int64, to QueuePlace) error {
	_, err := tx.db.NewRaw(`UPDATE river_job SET priority = ?, scheduled_at = ? WHERE id = ? AND state = 'available'`,
		to.Priority, tx.sql.RiverTime(to.At()), id).Exec(ctx)
	return wrap(fmt.Sprintf("move queue job %d", id), err)
}

// array is a JSON array of names of queues.
func array(queues []string) string { return `["` + strings.Join(queues, `","`) + `"]` }

// waitingQueues returns those of the queues in which a step waits that may run.
func (s *Store) waitingQueues(ctx context.Context, queues []string) (waiting []string, err error) {
	err = s.ask(ctx, &waiting, `SELECT value FROM `+s.sql.Elements("?")+` WHERE EXISTS (SELECT 1 FROM river_job WHERE state = 'available'
		AND queue = value AND priority IN (?, ?) AND scheduled_at <= ?)`, array(queues), singlePriority, batchPriority, s.sql.RiverNow())
	return waiting, wrap("look for queues in which steps wait", err)
}

// announceQueues wakes the workers of the queues in all processes, as River's insert does.
func (tx *Tx) announceQueues(ctx context.Context, queues []string) error {
	announce := `INSERT INTO river_notification (topic, payload) SELECT 'river_insert', json_object('queue', value) FROM `
	if tx.shared {
		announce = `SELECT pg_notify(current_schema() || '.river_insert', CAST(json_build_object('queue', value) AS text)) FROM `
	}
	tx.sql.Posted()
	_, err := tx.db.NewRaw(announce+tx.sql.Elements("?"), array(queues)).Exec(ctx)
	return wrap("wake the workers of "+strings.Join(queues, ", "), err)
}

// returnedSteps locks steps that have come back and may run by now.
func (tx *Tx) returnedSteps(ctx context.Context) (steps []waitingStep, err error) {
	q := tx.db.NewSelect().Table("river_job").Column("id", "queue").ColumnExpr("coalesce(args ->> 'extraction', '') AS extraction").
		Where(returned).Where("scheduled_at <= ?", tx.sql.RiverNow()).Order("scheduled_at").Limit(portion)
	err = tx.sql.SkipLocked(q).Scan(ctx, &steps)
	return steps, wrap("look for steps that have come back", err)
}

// singleWaits reports whether a step waits in a queue for which somebody has asked by
// itself.
func (r Reader) singleWaits(ctx context.Context, queue string) (waits bool, err error) {
	err = r.db.NewRaw(`SELECT EXISTS (SELECT 1 FROM river_job WHERE state = 'available' AND queue = ? AND priority = ? AND `+tagged+`)`,
		queue, singlePriority).Scan(ctx, &waits)
	return waits, wrap("look for single requests in "+queue, err)
}

// Stranded is the work that has not ended, has no live row in the queue, and does not
// wait for another's end either. One statement each reads it, so that work which moves
// meanwhile is not taken for stranded.
//
// A step that ends proves in its transaction that the queue's row is its own, and leaves
// the next row there. A database that loses commits, as PostgreSQL may with
// synchronous_commit off or after a failover to an asynchronous replica, loses that
// transaction. River then marks the row as completed from its memory all the same.
type Stranded struct {
	Extractions []string // their ids
	Batches     []string // likewise
}

const strandedExtractions = `SELECT id FROM extractions WHERE ` + running + ` AND ?0
	EXCEPT SELECT extraction_id FROM asr_places WHERE state IN ('outside', 'ready')
	EXCEPT SELECT args ->> 'extraction' FROM river_job WHERE ` + live

// A batch waits for its own steps, or for the claims of its items. The call of a hook
// also names the batch, and is no step of it.
const strandedBatches = `SELECT b.id FROM batches AS b WHERE b.` + running + ` AND ?0
		AND (b.feeding OR NOT b.listed OR NOT EXISTS (
			SELECT 1 FROM batch_items AS i JOIN jobs AS j ON j.id = i.job_id
			WHERE i.batch_id = b.id AND i.status = 'pending' AND i.job_id <> '' AND j.` + running + `))
	EXCEPT SELECT args ->> 'batch' FROM river_job WHERE queue <> ?1 AND ` + live

// Stranded looks for stranded work.
func (r Reader) Stranded(ctx context.Context) (all Stranded, err error) {
	if all.Extractions, err = r.stranded(ctx, strandedExtractions, ""); err != nil {
		return all, err
	}
	all.Batches, err = r.stranded(ctx, strandedBatches, "")
	return all, err
}

// ExtractionStranded reports whether an extraction that the transaction has locked is
// stranded.
func (tx *Tx) ExtractionStranded(ctx context.Context, id string) (bool, error) {
	found, err := tx.stranded(ctx, strandedExtractions, id)
	return len(found) > 0, err
}

// BatchStranded reports whether a batch that the transaction has locked is stranded.
func (tx *Tx) BatchStranded(ctx context.Context, id string) (bool, error) {
	found, err := tx.stranded(ctx, strandedBatches, id)
	return len(found) > 0, err
}

// stranded asks one of the two questions, about one id or, for "", about all.
func (r Reader) stranded(ctx context.Context, question, id string) (found []string, err error) {
	of := bun.SafeQuery("TRUE")
	if id != "" {
		of = bun.SafeQuery("id = ?", id)
	}
	err = r.db.NewRaw(question, of, BatchHook).Scan(ctx, &found)
	return found, wrap("look for stranded work", err)
}

// queueSteps is a question for the steps in each queue: see Status. A step that waits for
// its time counts as scheduled, see EnqueueAt. ?0 is River's now.
const queueSteps = `SELECT queue, CASE WHEN state = 'available' AND scheduled_at > ?0 THEN 'scheduled' ELSE CAST(state AS text) END AS state,
	count(*) AS steps FROM river_job WHERE ` + live + ` GROUP BY 1, 2`

// oldHookCalls is the condition of the calls of a hook that no process with the hook has
// made in time.
func oldHookCalls(hook Hook) string {
	return `queue = '` + string(hook) + `' AND state IN ('available', 'cancelled', 'completed', 'discarded', 'pending', 'retryable', 'scheduled') AND created_at < ?0`
}

// SweepHookCalls removes the calls of hooks that no process has made.
func (s *Store) SweepHookCalls(ctx context.Context, before time.Time) error {
	for _, hook := range []Hook{JobHook, BatchHook} {
		if err := s.SweepTable(ctx, tables.Table{Name: "river_job", Key: []string{"id"}}, oldHookCalls(hook), sqldb.Moment(before)); err != nil {
			return err
		}
	}
	return nil
}

// DeleteSteps removes steps that name an account, at most 200, and returns how many. It removes no
// step that runs, which finds no rows of the account. The row of such a step loses the name.
func (w RemovalsTx) DeleteSteps(ctx context.Context, account string) (int64, error) {
	if err := w.Lock(ctx, account); err != nil {
		return 0, err
	}
	nameless := "jsonb_remove(args, '$.account')"
	if w.tx.shared {
		nameless = "args - 'account'"
	}
	_, err := w.db.NewRaw(`UPDATE river_job SET args = `+nameless+` WHERE args ->> 'account' = ? AND state = 'running'`, account).Exec(ctx)
	if err != nil {
		return 0, wrap("remove the name from steps of "+account, err)
	}
	res, err := w.db.NewRaw(`DELETE FROM river_job WHERE id IN (SELECT id FROM river_job WHERE args ->> 'account' = ? AND state <> 'running' LIMIT ?)`,
		account, portion).Exec(ctx)
	n, err := affected(res, err)
	return n, wrap("delete steps of "+account, err)
}

// endTerm ends the term of a dead process in which it leads. Without it River's periodic
// steps would wait for the end of the term.
func (s *Store) endTerm(ctx context.Context, process string) error {
	_, err := s.writer.NewRaw(`DELETE FROM river_leader WHERE leader_id = ?`, process).Exec(ctx)
	return wrap("end the term of process "+process, err)
}

// riversTable has a row for each of River's migrations that has run; riversMigrations reads them.
const (
	riversTable      = "river_migration"
	riversMigrations = `SELECT version FROM river_migration WHERE line = 'main'`
)

// haveVersions asks for the last migrations that have run: ours, and River's.
const haveVersions = `SELECT
	(SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied) AS ours,
	(SELECT coalesce(max(version), 0) FROM river_migration WHERE line = 'main') AS rivers`
