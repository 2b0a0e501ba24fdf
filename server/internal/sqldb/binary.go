package sqldb

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"
)

// Binary returns a connection of db for a query whose rows have many bytes. PostgreSQL sends the
// bytes unchanged: other queries receive them as text, which is twice as long. Such a query costs
// PostgreSQL one more round trip.
func Binary(db bun.IDB) bun.IConn {
	if db.Dialect().Name() == dialect.PG {
		switch db := db.(type) {
		case bun.Tx:
			return binary{db.Tx}
		case *bun.DB:
			return binary{db.DB}
		}
	}
	return db
}

// binary has the driver ask for the types of the results before it asks for the rows.
type binary struct{ bun.IConn }

func (b binary) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return b.IConn.QueryContext(ctx, query, append([]any{pgx.QueryExecModeDescribeExec}, args...)...)
}
