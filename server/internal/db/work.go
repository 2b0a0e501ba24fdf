package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"

	"github.com/uptrace/bun"
)

// Work is one run of a queue job: the job's row, as it was fetched once.
//
// A row belongs to the process that has fetched it until it is finished, or
// until Requeue has put a new row in its place. Rows are never given from one
// process to another: River's client may be writing the end of a run at any
// time, also in a process that the others take for dead.
type Work struct {
	ID      int64 // of the row; never used again
	Attempt int   // how often the row was fetched, from 1
	Kind    string
	Queue   string
	Args    []byte // JSON
}

// Lost returns the work of processes that are not among the living, oldest
// first: it is to be requeued.
func (s *Store) Lost(ctx context.Context) ([]Work, error) {
	return s.running(ctx, `NOT EXISTS (SELECT 1 FROM processes AS p WHERE p.id = j.owner)`)
}

// running returns the unfinished runs of the owners that the condition selects.
func (s *Store) running(ctx context.Context, condition string, values ...any) ([]Work, error) {
	owner, args := s.database.workColumns()
	var work []Work
	err := s.db.NewRaw(`SELECT id, attempt, kind, queue, args FROM (
			SELECT id, attempt, kind, queue, `+args+` AS args, `+owner+` AS owner
			FROM river_job WHERE state = 'running') AS j
		WHERE `+condition+` ORDER BY id`, values...).Scan(ctx, &work)
	return work, wrap("list running work", err)
}

// TakenUp reports whether one of the processes is at work on what names an id.
func (s *Store) TakenUp(ctx context.Context, id string, by []string) (bool, error) {
	if len(by) == 0 {
		return false, nil
	}
	work, err := s.running(ctx, "j.args LIKE ? AND j.owner IN (?)", "%"+strconv.Quote(id)+"%", bun.List(by))
	return len(work) > 0, err
}

// Holds reports whether the run is still the one that does the work, and keeps
// it so until the transaction ends. It is false once another was put in its
// place. A step that ends proves itself with it. Lock the extraction first.
func (tx *Tx) Holds(ctx context.Context, w Work) (bool, error) {
	var id int64
	q := tx.db.NewSelect().Table("river_job").Column("id").
		Where("id = ? AND attempt = ? AND state = 'running'", w.ID, w.Attempt)
	err := tx.database.forUpdate(q).Scan(ctx, &id)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, wrap(fmt.Sprintf("look at queue job %d", w.ID), err)
}

// Requeue replaces a lost run by a new row, and reports whether it did. It does nothing
// if another process has done so before, or if the run has ended meanwhile. A step that
// is still at the old run finds that the run is gone.
func (tx *Tx) Requeue(ctx context.Context, w Work) (bool, error) {
	held, err := tx.Holds(ctx, w)
	if err != nil || !held {
		return false, err
	}
	// The new row comes first, so that the old one is not the last. It keeps the place in
	// the queue.
	_, err = tx.db.NewRaw(`INSERT INTO river_job (args, kind, max_attempts, metadata, priority, queue, scheduled_at, tags)
		SELECT args, kind, max_attempts, metadata, priority, queue, scheduled_at, tags FROM river_job WHERE id = ?`, w.ID).Exec(ctx)
	if err != nil {
		return false, wrap(fmt.Sprintf("requeue job %d", w.ID), err)
	}
	return true, tx.Finish(ctx, w)
}

// Finish removes the row of a run that the transaction Holds. The last row of all stays,
// completed, until it is swept: SQLite would give its id to the next row, and the queue,
// which notes the end of a run by that id a moment later, would take the next row's work
// for done.
func (tx *Tx) Finish(ctx context.Context, w Work) error {
	for _, query := range []string{
		`DELETE FROM river_job WHERE id = ? AND id < (SELECT max(id) FROM river_job)`,
		`UPDATE river_job SET state = 'completed', finalized_at = CURRENT_TIMESTAMP WHERE id = ?`,
	} {
		if _, err := tx.db.NewRaw(query, w.ID).Exec(ctx); err != nil {
			return wrap(fmt.Sprintf("finish queue job %d", w.ID), err)
		}
	}
	return nil
}
