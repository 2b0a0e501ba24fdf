package sqldb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
	sqlitedriver "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/transcriptkit/transcriptkit/internal/clip"
)

// Fault is the reason why a database cannot be used, in words for the operator.
type Fault struct {
	Found string // what is wrong
	Cure  string // what the operator can do
	Err   error  // the error behind the fault
}

// Error returns the fault and its cure.
func (f *Fault) Error() string { return "store: " + f.Found + ": " + f.Cure }

// Unwrap returns the error behind the fault.
func (f *Fault) Unwrap() error { return f.Err }

// The cures that several faults share.
const (
	cureRights  = "let the user of the service write to the file and its folder, or name another database"
	cureRestore = "restore the file from a backup, or name another database"
	cureServer  = "start PostgreSQL, and check the host, port, user, password and database of its URL"
)

// Explain puts an error of opening a database into words. It does not change the end of ctx or
// errors that have their own words.
func Explain(ctx context.Context, database string, err error) error {
	var known *Fault
	switch {
	case err == nil, ctx.Err() != nil, errors.Is(err, ErrServed), errors.Is(err, ErrNoDatabase), errors.As(err, &known):
		return err
	}
	if path, ok := strings.CutPrefix(database, sqliteScheme); ok {
		return fileFault(path, err)
	}
	return serverFault(database, err)
}

// fileFault explains an error of an SQLite file.
func fileFault(path string, err error) error {
	f := func(found, cure string) error { return &Fault{path + " " + found, cure, err} }
	var lite *sqlitedriver.Error
	switch {
	case errors.As(err, &lite):
		return codeFault(path, lite)
	case errors.Is(err, syscall.EISDIR):
		return f("is a folder", "name a file in it")
	case errors.Is(err, syscall.ENOTDIR):
		return f("cannot be a file: a part of its path is no folder", "name another database")
	case errors.Is(err, syscall.EROFS):
		return f("is on a file system that is read-only", "mount it for writing, or name another database")
	case errors.Is(err, fs.ErrPermission):
		return f("cannot be written to", cureRights)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return f("is on a disk that is full", "make room on it")
	case errors.Is(err, syscall.EFBIG):
		return f("may not be as large", "raise the limit of the size of files (ulimit -f)")
	case errors.Is(err, syscall.ENAMETOOLONG):
		return f("has a name that is too long", "name another database")
	}
	return err
}

// folderFault explains why no SQLite file can be made in a folder.
func folderFault(folder string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &Fault{"the folder " + folder + " is not there", "make it, or name another database", err}
	}
	return fileFault(folder, err)
}

// codeFault explains an error that SQLite reports.
func codeFault(path string, err *sqlitedriver.Error) error {
	f := func(found, cure string) error { return &Fault{path + " " + found, cure, err} }
	switch err.Code() & 0xff {
	case sqlite3.SQLITE_NOTADB:
		return f("is no SQLite database", cureRestore)
	case sqlite3.SQLITE_CORRUPT:
		return f("is damaged", cureRestore)
	case sqlite3.SQLITE_FULL:
		return f("is on a disk that is full", "make room on it")
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return f("is locked by another program", "end that program, such as a backup or a shell of SQLite, and try again")
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH:
		return f("cannot be written to", cureRights)
	case sqlite3.SQLITE_IOERR:
		return f("is on a disk that does not read or write it", "look for faults and free space of the disk of "+filepath.Dir(path))
	}
	return f("has tables that this version cannot use", cureRestore)
}

// serverFault explains an error of PostgreSQL.
func serverFault(dsn string, err error) error {
	config, bad := pgconn.ParseConfig(dsn)
	if bad != nil {
		return &Fault{"the URL of the database cannot be read", "write it as postgres://USER:PASSWORD@HOST:PORT/DATABASE", err}
	}
	at := fmt.Sprintf("PostgreSQL at %s:%d", config.Host, config.Port)
	f := func(found, cure string) error { return &Fault{at + found, cure, err} }
	var (
		refused *pgconn.PgError
		name    *net.DNSError
		network net.Error
	)
	switch {
	case errors.As(err, &refused):
		return refusal(at, config, refused)
	case errors.As(err, &name):
		return &Fault{fmt.Sprintf("this machine finds no host %s", config.Host), "correct the host in the URL of the database, or the name server of this machine", err}
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, fs.ErrNotExist):
		return f(" accepts no connections", "start PostgreSQL, or correct the host and port in its URL")
	case strings.Contains(err.Error(), "server refused TLS"): // pgx has no value for it
		return f(" speaks no TLS", "switch TLS on there, or put sslmode=disable into its URL")
	case strings.Contains(err.Error(), "client_encoding=UTF8"): // as above
		return f(", database "+config.Database+", does not have the encoding UTF8", "make a database that has it: createdb --encoding=UTF8 --template=template0 NAME")
	case errors.As(err, &network) && network.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return f(" does not answer", "check that PostgreSQL runs, and that no firewall is between")
	}
	return f(", database "+config.Database+", cannot be used", cureServer)
}

// refusal explains an answer of PostgreSQL by its SQLSTATE.
func refusal(at string, config *pgconn.Config, err *pgconn.PgError) error {
	f := func(found, cure string) error { return &Fault{at + found, cure, err} }
	switch err.Code {
	case "28P01", "28000": // invalid_password, invalid_authorization_specification
		return f(" does not let the user "+cmp.Or(config.User, "without a name")+" in", "correct the user and password in the URL, or the rules in its pg_hba.conf")
	case "25006": // read_only_sql_transaction
		return f(" takes no writes", "name the server that it copies, if it is a replica, or switch its default_transaction_read_only off")
	case "42501": // insufficient_privilege
		return f(" does not let the user "+config.User+" make tables", fmt.Sprintf("make the user the owner of the database %s, or grant it CREATE there", config.Database))
	case "53300": // too_many_connections
		return f(" has no connection left", "raise its max_connections, or end other programs that use it")
	case "57P03": // cannot_connect_now
		return f(" is starting or stopping", "try again in a minute")
	}
	return f(fmt.Sprintf(", database %s, says %q", config.Database, clip.Line(err.Message, maxExamined)), cureServer)
}
