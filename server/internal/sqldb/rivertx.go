package sqldb

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

type pgxConn = pgx.Conn

// pgTx is a transaction of database/sql in the form that River takes. Only database/sql
// commits the transaction or rolls it back. River begins and ends savepoints.
type pgTx struct {
	*pgxConn
	depth int
}

func (t pgTx) name() string { return fmt.Sprintf("queue_%d", t.depth) }

func (t pgTx) run(ctx context.Context, command string) error {
	if t.depth == 0 {
		return fmt.Errorf("store: the queue must not end the transaction")
	}
	_, err := t.Exec(ctx, command+" "+t.name())
	return err
}

func (t pgTx) Begin(ctx context.Context) (pgx.Tx, error) {
	inner := pgTx{pgxConn: t.pgxConn, depth: t.depth + 1}
	return inner, inner.run(ctx, "SAVEPOINT")
}

func (t pgTx) Commit(ctx context.Context) error   { return t.run(ctx, "RELEASE SAVEPOINT") }
func (t pgTx) Rollback(ctx context.Context) error { return t.run(ctx, "ROLLBACK TO SAVEPOINT") }
func (t pgTx) Conn() *pgx.Conn                    { return t.pgxConn }

// LargeObjects panics: River has none.
func (t pgTx) LargeObjects() pgx.LargeObjects { panic("store: the queue has no large objects") }
