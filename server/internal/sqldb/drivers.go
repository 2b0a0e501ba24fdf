package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"

	"github.com/jackc/pgx/v5"
)

type (
	driverKey struct{}
	tracerKey struct{}
)

// WithSQLiteDriver returns a context with which Open reaches a SQLite file through what
// wrap makes of the driver, so that a test can let statements fail.
func WithSQLiteDriver(ctx context.Context, wrap func(driver.Driver) driver.Driver) context.Context {
	return context.WithValue(ctx, driverKey{}, wrap)
}

// WithPostgresTracer returns a context with which Open shows each statement that it sends to
// PostgreSQL to the tracer, so that a test can look at the statements.
func WithPostgresTracer(ctx context.Context, t pgx.QueryTracer) context.Context {
	return context.WithValue(ctx, tracerKey{}, t)
}

func openDriver(ctx context.Context, name string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", name)
	wrap, wrapped := ctx.Value(driverKey{}).(func(driver.Driver) driver.Driver)
	if err != nil || !wrapped {
		return db, err
	}
	return sql.OpenDB(connector{wrap(db.Driver()), name}), db.Close()
}

// connector opens connections under one name.
type connector struct {
	driver driver.Driver
	name   string
}

func (c connector) Connect(context.Context) (driver.Conn, error) { return c.driver.Open(c.name) }
func (c connector) Driver() driver.Driver                        { return c.driver }
