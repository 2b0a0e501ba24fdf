package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"strings"
	"sync"
)

// listenerPoll begins the query with which River's SQLite driver looks for notifications
// every 50 ms. If another version of the driver names the query otherwise, an idle process
// polls again, and nothing else changes.
const listenerPoll = "-- name: NotificationGetAfter "

// notificationInsert begins the statements that write a notification.
const notificationInsert = "-- name: NotificationInsert"

// riverPool is the pool of a River client that works. All connections of the pool stand for
// the one connection that writes. The pool answers the query for notifications once
// a commit has written a notification: only this process writes to the file. So an idle
// River asks nothing, and a step begins as soon as it is committed.
type riverPool struct {
	one     *sqlitePrepared
	written *bell
}

// open returns the pool for River's driver.
func (p riverPool) open() *sql.DB { return sql.OpenDB(p) }

// Connect returns a connection without a state of its own.
func (p riverPool) Connect(context.Context) (driver.Conn, error) {
	return &riverConn{riverPool: p}, nil
}

// Driver is the driver of the connection that writes.
func (p riverPool) Driver() driver.Driver { return p.one.db.Driver() }

// riverConn is a connection of the pool. In a transaction it has the connection that writes
// for itself.
type riverConn struct {
	riverPool
	tx    *sql.Tx
	rings bool // the transaction has written a notification
}

// CheckNamedValue leaves all arguments to the connection that writes.
func (c *riverConn) CheckNamedValue(*driver.NamedValue) error { return nil }

// Close releases nothing: the connection that writes stays open.
func (c *riverConn) Close() error { return nil }

// Prepare refuses: River prepares nothing, and the pool prepares by itself.
func (c *riverConn) Prepare(string) (driver.Stmt, error) {
	return nil, errors.New("store: the queue prepares no statement")
}

// Begin is BeginTx without a bound.
func (c *riverConn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

// BeginTx waits for the connection that writes.
func (c *riverConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	tx, err := c.one.db.DB.BeginTx(ctx, &sql.TxOptions{Isolation: sql.IsolationLevel(o.Isolation), ReadOnly: o.ReadOnly})
	if err != nil {
		return nil, err
	}
	c.tx, c.rings = tx, false
	return c, nil
}

// Commit ends the transaction, and wakes River if the transaction has written a notification.
func (c *riverConn) Commit() error {
	err := c.tx.Commit()
	c.tx = nil
	if c.rings {
		c.written.ring()
	}
	return err
}

// Rollback ends the transaction. The end of its context may have ended the transaction before.
func (c *riverConn) Rollback() error {
	err := c.tx.Rollback()
	c.tx = nil
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}

// ExecContext runs a statement.
func (c *riverConn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (result driver.Result, err error) {
	if strings.HasPrefix(text, notificationInsert) {
		c.rings = true
	}
	if c.tx != nil {
		return c.tx.ExecContext(ctx, text, plain(args)...)
	}
	if c.rings {
		defer c.written.ring()
	}
	s, err := c.one.statement(ctx, text) //nolint:sqlclosecheck // it is kept
	if err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, plain(args)...)
}

// QueryContext runs a query. The query for notifications waits until there is one.
func (c *riverConn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	for {
		rung := c.written.next()
		rows, err := c.query(ctx, text, plain(args))
		if err != nil {
			return nil, err
		}
		if c.tx != nil || !strings.HasPrefix(text, listenerPoll) || rows.look() {
			return rows, nil
		}
		if err := rows.Close(); err != nil {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-rung:
		}
	}
}

func (c *riverConn) query(ctx context.Context, text string, args []any) (*riverRows, error) {
	if c.tx != nil {
		return inRiver(c.tx.QueryContext(ctx, text, args...))
	}
	s, err := c.one.statement(ctx, text) //nolint:sqlclosecheck // it is kept
	if err != nil {
		return nil, err
	}
	return inRiver(s.QueryContext(ctx, args...))
}

// plain returns the arguments as callers of database/sql write them.
func plain(args []driver.NamedValue) []any {
	all := make([]any, len(args))
	for i, arg := range args {
		all[i] = arg.Value
		if arg.Name != "" {
			all[i] = sql.Named(arg.Name, arg.Value)
		}
	}
	return all
}

// riverRows are rows of the connection that writes, for River.
type riverRows struct {
	rows    *sql.Rows
	columns []string
	first   bool // look has found the next row
}

func inRiver(rows *sql.Rows, err error) (*riverRows, error) {
	if err != nil {
		return nil, err
	}
	columns, err := rows.Columns()
	if err != nil {
		return nil, errors.Join(err, rows.Close())
	}
	return &riverRows{rows: rows, columns: columns}, nil
}

// look reports whether there is a row, or an error to tell.
func (r *riverRows) look() bool {
	r.first = r.rows.Next()
	return r.first || r.rows.Err() != nil
}

// Columns are the names of the columns.
func (r *riverRows) Columns() []string { return r.columns }

// Close releases the connection that writes.
func (r *riverRows) Close() error { return r.rows.Close() }

// Next copies the next row.
func (r *riverRows) Next(dest []driver.Value) error {
	if !r.first && !r.rows.Next() {
		if err := r.rows.Err(); err != nil {
			return err
		}
		return io.EOF
	}
	r.first = false
	values, places := make([]any, len(dest)), make([]any, len(dest))
	for i := range values {
		places[i] = &values[i]
	}
	if err := r.rows.Scan(places...); err != nil {
		return err
	}
	for i, v := range values {
		dest[i] = v
	}
	return nil
}

// bell wakes all that wait for it. The zero value is ready. Safe for concurrent use.
type bell struct {
	mu   sync.Mutex
	rung chan struct{} // closed by the next ring
}

// next returns a channel that the next ring closes.
func (b *bell) next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rung == nil {
		b.rung = make(chan struct{})
	}
	return b.rung
}

func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rung != nil {
		close(b.rung)
	}
	b.rung = nil
}
