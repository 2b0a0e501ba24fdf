package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	sqlitedriver "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/transcriptkit/transcriptkit/server/internal/outage"
)

// ErrUncertain means that a commit got no answer. The commit may have happened.
var ErrUncertain = errors.New("store: it is not known whether it was written")

// uncertain adds ErrUncertain to the error of a commit, unless the database has refused
// the commit. A database that shuts down may have committed before.
func uncertain(err error) error {
	var pg *pgconn.PgError
	var lite *sqlitedriver.Error
	if errors.As(err, &lite) || errors.As(err, &pg) && !strings.HasPrefix(pg.Code, "57P") {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUncertain, err)
}

// Wrap says what was done, and adds outage.ErrUnavailable to a temporary error.
func Wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("store: %s: %w", what, classified(err))
}

// classified adds outage.ErrUnavailable to a temporary error of the database.
func classified(err error) error {
	if errors.Is(err, outage.ErrUnavailable) || !passes(err) {
		return err
	}
	return fmt.Errorf("%w: %w", outage.ErrUnavailable, err)
}

// passes reports whether an error is about the state of a database, and not about the
// statement.
func passes(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) {
		return false // the caller has given up
	}
	var pg *pgconn.PgError
	var lite *sqlitedriver.Error
	var connect *pgconn.ConnectError
	var network net.Error
	switch {
	case errors.As(err, &connect):
		return true
	case errors.As(err, &pg):
		return postgresPasses(pg.Code)
	case errors.As(err, &lite):
		return sqlitePasses(lite.Code())
	case errors.As(err, &network): // also a time-out of pgx and of a context
		return true
	}
	for _, lost := range []error{driver.ErrBadConn, sql.ErrConnDone, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed} {
		if errors.Is(err, lost) {
			return true
		}
	}
	// pgx has no value for the error of a connection that broke before.
	return strings.HasSuffix(err.Error(), "conn closed")
}

// postgresPasses knows the SQLSTATE codes.
func postgresPasses(code string) bool {
	switch code {
	case "25006", // read_only_sql_transaction: a server that is no longer the first
		"25P03", // idle_in_transaction_session_timeout
		"25P04", // transaction_timeout
		"40001", // serialization_failure, after all tries
		"40P01", // deadlock_detected, after all tries
		"55P03", // lock_not_available
		"57014", // query_canceled
		"57P01", // admin_shutdown
		"57P02", // crash_shutdown
		"57P03", // cannot_connect_now
		"57P05": // idle_session_timeout
		return true
	}
	// Connections, resources (memory, disk, connections), the server's system.
	class := code[:min(2, len(code))]
	return class == "08" || class == "53" || class == "58"
}

// sqlitePasses knows SQLite's result codes, whose lowest byte is the class.
func sqlitePasses(code int) bool {
	switch code & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL, // another program has locked the file
		sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_NOMEM,
		sqlite3.SQLITE_INTERRUPT: // it took too long
		return true
	}
	return false
}
