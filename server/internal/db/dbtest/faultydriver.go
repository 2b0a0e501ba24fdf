package dbtest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"sync"
)

// faultyDriver opens connections to SQLite whose statements may fail.
type faultyDriver struct {
	driver.Driver
	faults *Faults
}

func (d faultyDriver) Open(name string) (driver.Conn, error) {
	c, err := d.Driver.Open(name)
	if err != nil {
		return nil, err
	}
	return &faultyConn{sqliteConn: c.(sqliteConn), faults: d.faults}, nil
}

// sqliteConn is the interface that database/sql needs from a connection.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

type faultyConn struct {
	sqliteConn
	faults *Faults
	broken bool
}

// try executes a statement, unless it is the one that fails.
func (c *faultyConn) try(statement string, do func() error) error {
	if c.broken {
		return driver.ErrBadConn
	}
	switch c.faults.next(statement) {
	case Refused:
		return errNoRoom()
	case Cut:
		c.broken = true
		return driver.ErrBadConn
	case Lost:
		c.broken = true
		_ = do() // the caller must not learn the outcome
		return io.ErrUnexpectedEOF
	case NoFault:
	}
	return do()
}

// IsValid makes database/sql close a broken connection.
func (c *faultyConn) IsValid() bool { return !c.broken && c.sqliteConn.IsValid() }

func (c *faultyConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (r driver.Result, err error) {
	err = c.try(query, func() (err error) { r, err = c.sqliteConn.ExecContext(ctx, query, args); return err })
	return r, err
}

func (c *faultyConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (rows driver.Rows, err error) {
	err = c.try(query, func() (err error) { rows, err = c.sqliteConn.QueryContext(ctx, query, args); return err })
	if err != nil && rows != nil {
		err = errors.Join(err, rows.Close())
		rows = nil
	}
	return rows, err
}

// PrepareContext makes a statement that may fail each time.
func (c *faultyConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	s, err := c.sqliteConn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return faultyStmt{s.(sqliteStmt), query, c}, nil
}

type sqliteStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

type faultyStmt struct {
	sqliteStmt
	query string
	conn  *faultyConn
}

func (s faultyStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (rows driver.Rows, err error) {
	err = s.conn.try(s.query, func() (err error) { rows, err = s.sqliteStmt.QueryContext(ctx, args); return err })
	if err != nil && rows != nil {
		err = errors.Join(err, rows.Close())
		rows = nil
	}
	return rows, err
}

func (s faultyStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (r driver.Result, err error) {
	err = s.conn.try(s.query, func() (err error) { r, err = s.sqliteStmt.ExecContext(ctx, args); return err })
	return r, err
}

func (c *faultyConn) BeginTx(ctx context.Context, o driver.TxOptions) (tx driver.Tx, err error) {
	err = c.try("BEGIN", func() (err error) { tx, err = c.sqliteConn.BeginTx(ctx, o); return err })
	return faultyTx{tx, c}, err
}

type faultyTx struct {
	driver.Tx
	conn *faultyConn
}

// Commit rolls back if it is refused, as SQLite does when the disk is full.
func (t faultyTx) Commit() error {
	done := false
	err := t.conn.try("COMMIT", func() error { done = true; return t.Tx.Commit() })
	if !done && !t.conn.broken {
		err = errors.Join(err, t.Tx.Rollback())
	}
	return err
}

func (t faultyTx) Rollback() error {
	if t.conn.broken {
		return driver.ErrBadConn // database/sql closes it, which rolls back
	}
	return t.Tx.Rollback()
}

// errNoRoom is SQLite's own error of a full disk.
var errNoRoom = sync.OnceValue(func() error {
	db, err := sql.Open("sqlite", "file::memory:?_pragma=max_page_count(1)")
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Exec("CREATE TABLE t AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 10000) SELECT x FROM n")
	return err
})
