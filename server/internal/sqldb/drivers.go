package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"

	"github.com/jackc/pgx/v5"
)

// Drivers are inserted between a DB and its database. The zero value leaves the drivers as
// they are.
type Drivers struct {
	// SQLite wraps the driver of SQLite files; nil means that the driver is used as it is.
	SQLite func(driver.Driver) driver.Driver
	// Postgres is called with each statement for PostgreSQL; nil means that there are no
	// calls.
	Postgres pgx.QueryTracer
}

func (d Drivers) sqlite(name string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", name)
	if err != nil || d.SQLite == nil {
		return db, err
	}
	return sql.OpenDB(connector{d.SQLite(db.Driver()), name}), db.Close()
}

// connector opens connections under one name.
type connector struct {
	driver driver.Driver
	name   string
}

func (c connector) Connect(context.Context) (driver.Conn, error) { return c.driver.Open(c.name) }
func (c connector) Driver() driver.Driver                        { return c.driver }
