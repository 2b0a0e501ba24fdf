package sqldb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	sqlitedriver "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/internal/scratch"
	"github.com/transcriptkit/transcriptkit/server/engine"
)

// The things that Examine examines.
const (
	databaseName = "database"
	clockName    = "clock"
)

const (
	// maxClockDifference is how far the clocks of the processes and of their database
	// may be from each other.
	maxClockDifference = 5 * time.Second
	maxExamined        = 300 // runes of an error
)

const (
	everything = "everything"
	asMigrated = "the first start makes its tables"
)

// UpToDate returns an error unless the tables of a database are as the program wants them. A Fault
// says that no migration makes them so.
type UpToDate func(ctx context.Context, kind goose.Dialect, pool *bun.DB) error

// Examine looks at a database without opening a DB. It creates nothing and changes no
// table.
func Examine(ctx context.Context, database string, upToDate UpToDate) []engine.Finding {
	if path, ok := strings.CutPrefix(database, sqliteScheme); ok {
		return []engine.Finding{examineSQLite(ctx, path, upToDate)}
	}
	return examinePostgres(ctx, database, upToDate)
}

// unusable is the finding about a database that cannot be used. The fault of err, if it has one,
// has its own cure.
func unusable(err error, cure string) engine.Finding {
	found := engine.Finding{Name: databaseName, Status: engine.Broken, Found: clip.Line(err.Error(), maxExamined), Fails: everything, Cure: cure}
	if f := new(Fault); errors.As(err, &f) {
		found.Found, found.Cure = clip.Line(f.Found, maxExamined), f.Cure
	}
	return found
}

func examineSQLite(ctx context.Context, path string, upToDate UpToDate) engine.Finding {
	folder := filepath.Dir(path)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := scratch.Writable(folder); err != nil {
			return unusable(folderFault(folder, err), cureRights)
		}
		return engine.Finding{Name: databaseName, Status: engine.OK, Found: "SQLite at " + path + ": not there yet, the first start makes it"}
	case err != nil:
		return unusable(fileFault(path, err), cureRights)
	case !info.Mode().IsRegular():
		return unusable(fmt.Errorf("%s is no file", path), "name a file")
	}
	if err := cmp.Or(scratch.Writable(path), scratch.Writable(folder)); err != nil {
		return unusable(fileFault(path, err), cureRights)
	}
	found := engine.Finding{Name: databaseName, Status: engine.OK, Found: "SQLite at " + path}
	if info.Size() == 0 {
		found.Found += ": empty, " + asMigrated
		return found
	}
	db, err := openReadOnly(path)
	if err != nil {
		return unusable(fileFault(path, err), cureRestore)
	}
	defer func() { _ = db.Close() }() // it was only read
	if found.Found, err = atVersion(ctx, goose.DialectSQLite3, db, upToDate, found.Found); err != nil {
		return unusable(Explain(ctx, sqliteScheme+path, err), cureRestore)
	}
	return found
}

// openReadOnly opens a file so that SQLite makes no other files. SQLite makes a write-ahead
// log even for readers, unless the file is immutable. While a process works on the file,
// the log is there already.
func openReadOnly(path string) (*bun.DB, error) {
	q := url.Values{"mode": {"ro"}, "_pragma": {fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds())}}
	if _, err := os.Stat(path + "-wal"); errors.Is(err, fs.ErrNotExist) {
		q.Set("immutable", "1")
	}
	name := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: q.Encode()}
	db, err := Drivers{}.sqlite(name.String())
	if err != nil {
		return nil, err
	}
	return bun.NewDB(db, sqlitedialect.New()), nil
}

// atVersion says whether the tables are up to date.
func atVersion(ctx context.Context, kind goose.Dialect, db *bun.DB, upToDate UpToDate, found string) (string, error) {
	var pages int64 // the question fails for a file that is no database
	count := `SELECT count(*) FROM sqlite_master`
	if kind == goose.DialectPostgres {
		count = `SELECT count(*) FROM pg_catalog.pg_class WHERE relname = 'goose_db_version'`
	}
	if err := db.NewRaw(count).Scan(unbounded(ctx), &pages); err != nil {
		return "", err
	}
	var fault *Fault
	switch err := upToDate(unbounded(ctx), kind, db); {
	case err == nil:
		return fmt.Sprintf("%s, tables up to date", found), nil
	case ctx.Err() != nil, unreadable(err), errors.As(err, &fault):
		return "", err
	case pages == 0:
		return found + ": without tables, " + asMigrated, nil
	default:
		return found + ": tables of an older version, which the next start brings up to date", nil
	}
}

// unreadable reports an error of an SQLite file that no migration mends.
func unreadable(err error) bool {
	var lite *sqlitedriver.Error
	if !errors.As(err, &lite) {
		return false
	}
	return slices.Contains([]int{sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_IOERR}, lite.Code()&0xff)
}

func examinePostgres(ctx context.Context, dsn string, upToDate UpToDate) []engine.Finding {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return []engine.Finding{unusable(serverFault(dsn, err), cureServer)}
	}
	config.ConnectTimeout = cmp.Or(config.ConnectTimeout, answerTime)
	at := fmt.Sprintf("PostgreSQL at %s:%d, database %s", config.Host, config.Port, config.Database)
	turn := newGate(1)
	db := pgPool(config, turn)
	defer func() { _ = db.Close() }() // it was only read
	var (
		now      time.Time
		readOnly bool
	)
	began := time.Now()
	if err := db.NewRaw(`SELECT clock_timestamp(), pg_is_in_recovery()`).Scan(unbounded(ctx), &now, &readOnly); err != nil {
		return []engine.Finding{unusable(serverFault(dsn, err), cureServer)}
	}
	took := time.Since(began)
	clock := examineClock(now.Sub(began.Add(took/2)), took)
	if readOnly {
		return []engine.Finding{unusable(fmt.Errorf("%s only copies another", at), "name the one that it copies"), clock}
	}
	found := engine.Finding{Name: databaseName, Status: engine.OK}
	if found.Found, err = atVersion(ctx, goose.DialectPostgres, db, upToDate, at); err != nil {
		found = unusable(Explain(ctx, dsn, err), cureServer)
	}
	return []engine.Finding{found, clock}
}

// examineClock judges how far the database's clock is ahead. The figure is right to within
// took.
func examineClock(ahead, took time.Duration) engine.Finding {
	if ahead.Abs() <= maxClockDifference+took {
		return engine.Finding{Name: clockName, Status: engine.OK, Found: "as the database's"}
	}
	where := "ahead of"
	if ahead > 0 {
		where = "behind"
	}
	return engine.Finding{
		Name: clockName, Status: engine.Broken, Found: fmt.Sprintf("%s %s the database's", ahead.Abs().Round(time.Second), where),
		Fails: "times in answers, what begins or is repeated at a time, and the end of keys and periods",
		Cure:  "let both machines keep the time of the network: timedatectl set-ntp true (package systemd-timesyncd or chrony on Debian)",
	}
}
