package sqldb

import (
	"context"
	"database/sql"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
)

// Ask scans the rows of a constant query into dest, a slice. The query has a ? for each
// argument. The database prepares the query once for each connection.
func (d *DB) Ask(ctx context.Context, dest any, query string, args ...any) error {
	return d.database.questions().ask(ctx, dest, query, args)
}

// Do runs a constant statement that writes, outside of transactions, and returns the number
// of changed rows. The statement has a ? for each argument. The database prepares the
// statement once for each connection.
func (d *DB) Do(ctx context.Context, statement string, args ...any) (changed int64, err error) {
	if ctx, err = d.Enter(ctx); err != nil {
		return 0, err
	}
	result, err := d.database.changes().do(ctx, statement, args)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// DoReturning is Do for a statement that returns rows, which it scans into dest, a slice. The
// statement names its columns: PostgreSQL refuses a prepared statement with RETURNING * once on each
// connection after the table has got a column.
func (d *DB) DoReturning(ctx context.Context, dest any, statement string, args ...any) error {
	ctx, err := d.Enter(ctx)
	if err != nil {
		return err
	}
	return d.database.changes().ask(ctx, dest, statement, args)
}

// prepared runs constant statements that a pool has prepared. The statements are closed with
// their connections. When tables have changed, the database prepares a statement again.
type prepared interface {
	ask(ctx context.Context, dest any, query string, args []any) error
	do(ctx context.Context, statement string, args []any) (sql.Result, error)
}

// sqlitePrepared are the prepared statements of a pool of connections to a SQLite file.
type sqlitePrepared struct {
	db     *bun.DB
	gate   *gate
	writes bool     // the pool is the one connection that writes
	byText sync.Map // of *sql.Stmt
}

// enter waits for a connection. A statement that reads is not ended in the middle: it touches
// a few rows, and to watch over that would take longer. A statement that writes is bounded,
// because River writes on the same connection and does not wait at the gate: while another
// program locks the file, River's statements may keep the connection for long.
func (p *sqlitePrepared) enter(ctx context.Context) (_ context.Context, leave func(error), err error) {
	if p.writes {
		return p.gate.enter(ctx)
	}
	leave, err = p.gate.enterBriefly(ctx)
	return context.WithoutCancel(ctx), leave, err
}

func (p *sqlitePrepared) ask(ctx context.Context, dest any, query string, args []any) (err error) {
	ctx, leave, err := p.enter(ctx)
	if err != nil {
		return err
	}
	defer func() { leave(err) }()
	statement, err := p.statement(ctx, query) //nolint:sqlclosecheck // it is kept
	if err != nil {
		return err
	}
	rows, err := statement.QueryContext(ctx, inSQLite(args)...) //nolint:rowserrcheck // ScanRows looks at it, and closes them
	if err != nil {
		return err
	}
	return p.db.ScanRows(ctx, rows, dest)
}

func (p *sqlitePrepared) do(ctx context.Context, text string, args []any) (_ sql.Result, err error) {
	ctx, leave, err := p.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { leave(err) }()
	statement, err := p.statement(ctx, text) //nolint:sqlclosecheck // it is kept
	if err != nil {
		return nil, err
	}
	return statement.ExecContext(ctx, inSQLite(args)...)
}

func (p *sqlitePrepared) statement(ctx context.Context, text string) (*sql.Stmt, error) {
	if s, ok := p.byText.Load(text); ok {
		return s.(*sql.Stmt), nil
	}
	s, err := p.db.DB.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	if first, there := p.byText.LoadOrStore(text, s); there {
		return first.(*sql.Stmt), s.Close() //nolint:sqlclosecheck // another was faster
	}
	return s, nil
}

// inSQLite writes times as bun writes them: SQLite compares times as texts.
func inSQLite(args []any) []any {
	for i, arg := range args {
		if at, ok := arg.(time.Time); ok {
			args[i] = at.UTC().Format("2006-01-02 15:04:05.999999-07:00")
		}
	}
	return args
}

// pgPrepared has the driver prepare constant statements on each connection of a pool.
type pgPrepared struct {
	db   *bun.DB
	gate *gate
}

func (p pgPrepared) ask(ctx context.Context, dest any, query string, args []any) (err error) {
	ctx, leave, err := p.gate.enter(ctx)
	if err != nil {
		return err
	}
	defer func() { leave(err) }()
	query, args = inPostgres(query, args)
	rows, err := p.db.DB.QueryContext(ctx, query, args...) //nolint:rowserrcheck // ScanRows looks at it, and closes them
	if err != nil {
		return err
	}
	return p.db.ScanRows(ctx, rows, dest)
}

func (p pgPrepared) do(ctx context.Context, statement string, args []any) (_ sql.Result, err error) {
	ctx, leave, err := p.gate.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { leave(err) }()
	statement, args = inPostgres(statement, args)
	return p.db.DB.ExecContext(ctx, statement, args...)
}

// inPostgres numbers the arguments of a constant statement, and writes the arguments that
// are expressions into the text. The first argument tells the driver to prepare the text.
func inPostgres(text string, args []any) (string, []any) {
	var b strings.Builder
	rest := []any{pgx.QueryExecModeCacheStatement}
	for _, arg := range args {
		before, after, _ := strings.Cut(text, "?")
		b.WriteString(before)
		if expression, ok := arg.(schema.Safe); ok {
			b.WriteString(string(expression))
		} else {
			rest = append(rest, arg)
			b.WriteString("$" + strconv.Itoa(len(rest)-1))
		}
		text = after
	}
	b.WriteString(text)
	return b.String(), rest
}
