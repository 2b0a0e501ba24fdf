package sqldb

import (
	"context"
	"database/sql"
	"sync"

	"github.com/uptrace/bun"
)

// Ask scans the rows of a constant query into dest, a slice. The query has a ? for each
// argument. SQLite prepares the query once for each connection. For PostgreSQL bun writes
// the arguments into the query.
func (d *DB) Ask(ctx context.Context, dest any, query string, args ...any) error {
	if p := d.database.prepared(); p != nil {
		return p.ask(ctx, dest, query, args)
	}
	return d.database.reader().NewRaw(query, args...).Scan(ctx, dest)
}

// prepared are the prepared statements of constant queries of a SQLite file. They are
// closed with their connections. When tables have changed, SQLite prepares a statement
// again.
type prepared struct {
	db      *bun.DB
	gate    *gate
	byQuery sync.Map // of *sql.Stmt
}

// ask is not ended in the middle: it looks up a few rows, and to watch over that would
// take longer.
func (p *prepared) ask(ctx context.Context, dest any, query string, args []any) (err error) {
	leave, err := p.gate.enterBriefly(ctx)
	if err != nil {
		return err
	}
	defer func() { leave(err) }()
	ctx = context.WithoutCancel(ctx)
	statement, err := p.statement(ctx, query) //nolint:sqlclosecheck // it is kept
	if err != nil {
		return err
	}
	rows, err := statement.QueryContext(ctx, args...) //nolint:rowserrcheck // ScanRows looks at it, and closes them
	if err != nil {
		return err
	}
	return p.db.ScanRows(ctx, rows, dest)
}

func (p *prepared) statement(ctx context.Context, query string) (*sql.Stmt, error) {
	if s, ok := p.byQuery.Load(query); ok {
		return s.(*sql.Stmt), nil
	}
	s, err := p.db.DB.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	if first, there := p.byQuery.LoadOrStore(query, s); there {
		return first.(*sql.Stmt), s.Close() //nolint:sqlclosecheck // another was faster
	}
	return s, nil
}
