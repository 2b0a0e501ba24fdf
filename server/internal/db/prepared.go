package db

import (
	"context"
	"database/sql"
	"sync"

	"github.com/uptrace/bun"
)

// ask scans the rows of a query on the path of cached answers into dest, a slice. Its
// text is a constant, with a ? for each argument. On SQLite it is prepared once for each
// connection; for PostgreSQL and in transactions bun writes the arguments into it, as
// into all others.
func (r *source) ask(ctx context.Context, dest any, query string, args ...any) error {
	if r.prepared == nil {
		return r.db.NewRaw(query, args...).Scan(ctx, dest)
	}
	return r.prepared.ask(ctx, dest, query, args)
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
