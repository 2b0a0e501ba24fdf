// Package queue stores the steps that wait, and the processes that run them. It passes the steps to
// processes in order, and records which processes are alive. The steps are jobs of River, and no
// other package has a statement on River's tables. A step is put into the queue in the transaction
// that makes the step necessary:
//
//	err := store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
//		if err := tx.Works.Move(ctx, e, move); err != nil {
//			return err
//		}
//		return tx.Queue.Enqueue(ctx, nextStep) // both, or neither
//	})
//
// A process makes a Runner by [Queue.NewRunner], and the runner calls the process's workers.
// Accounts take turns: see [FairTime].
package queue

import (
	"log/slog"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// Queue is the queue of a database. A Queue is safe for concurrent use.
type Queue struct {
	sql *sqldb.DB
	log *slog.Logger
}

// New returns the queue of a database, whose tables Migrate has made.
func New(d *sqldb.DB, log *slog.Logger) *Queue { return &Queue{sql: d, log: log} }

// Tx is the queue within a transaction, and is valid as long as the transaction.
type Tx struct{ sql *sqldb.Tx }

// In returns the queue within a transaction.
func In(tx *sqldb.Tx) Tx { return Tx{sql: tx} }
