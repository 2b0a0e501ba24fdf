package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	_ "modernc.org/sqlite" // the driver named "sqlite"
)

const (
	// busyTimeout is how long a statement waits for another program's write. Nothing ends
	// the wait earlier.
	busyTimeout = 500 * time.Millisecond
	readers     = 4
	// sqliteFetchPoll is how often River looks for steps without being woken. No wake-up is
	// lost within one process.
	sqliteFetchPoll = 30 * time.Second
)

// sqlite is a file that one process serves. All writes, River's too, go through one
// connection: SQLite makes writes serial, and waiting in Go is fair, unlike waiting in
// SQLite.
type sqlite struct {
	path   string
	write  *bun.DB
	turn   *gate // before write
	does   *sqlitePrepared
	read   *bun.DB
	line   *gate // before read
	asks   *sqlitePrepared
	insert *river.Client[*sql.Tx]
	steps  *riverListener // receives committed steps
	log    *slog.Logger
}

// sqliteScheme begins the name of a SQLite file.
const sqliteScheme = "sqlite:"

func openSQLite(ctx context.Context, path string, o Options) (*sqlite, error) {
	if path == "" || path == ":memory:" {
		return nil, errors.New("store: SQLite needs the path of a file")
	}
	if err := touch(path, o.MustExist); err != nil {
		return nil, err
	}
	s := &sqlite{path: path, turn: newGate(1), steps: newRiverListener(), line: newGate(readers), log: o.Log}
	var err error
	if s.read, err = s.pool(o.Drivers, s.line, "query_only(1)"); err != nil {
		return nil, err
	}
	s.asks = &sqlitePrepared{db: s.read, gate: s.line}
	if o.MustExist { // before anything is written
		if err := hasTables(ctx, s.read, "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'goose_db_version')"); err != nil {
			return nil, errors.Join(fmt.Errorf("%w: %s", err, path), s.close())
		}
	}
	synchronous := "NORMAL"
	if o.FullSync {
		synchronous = "FULL"
	}
	if s.write, err = s.pool(o.Drivers, s.turn, "journal_mode(WAL)", "synchronous("+synchronous+")", "foreign_keys(1)"); err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.does = &sqlitePrepared{db: s.write, gate: s.turn, writes: true}
	if s.insert, err = river.NewClient(newRiverDriver(s.write.DB, s.steps), o.Inserts); err != nil {
		return nil, errors.Join(fmt.Errorf("store: queue: %w", err), s.close())
	}
	return s, nil
}

// hasTables returns ErrNoDatabase if the query says that no migration has run.
func hasTables(ctx context.Context, db *bun.DB, query string) error {
	var there bool
	if err := db.NewRaw(query).Scan(ctx, &there); err != nil {
		return Wrap("look for tables", err)
	}
	if !there {
		return ErrNoDatabase
	}
	return nil
}

// touch makes the file, unless the file must exist. Only the service's user may read the
// texts and the key hashes. SQLite gives its other files the rights of this file.
func touch(path string, mustExist bool) error {
	flag := os.O_RDWR
	if !mustExist {
		flag |= os.O_CREATE
	}
	f, err := os.OpenFile(path, flag, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if _, missing := os.Stat(filepath.Dir(path)); missing != nil {
			return fmt.Errorf("%w: %s: the folder is not there", ErrNoDatabase, path)
		}
		return fmt.Errorf("%w: %s", ErrNoDatabase, path)
	}
	if err != nil {
		return fmt.Errorf("store: open database: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("store: open database: %w", err)
	}
	return nil
}

func (s *sqlite) pool(drivers Drivers, turn *gate, pragmas ...string) (*bun.DB, error) {
	q := url.Values{"_txlock": {"immediate"}, "_timezone": {"UTC"}}
	// First, so that the other pragmas wait too.
	q.Add("_pragma", fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()))
	for _, p := range pragmas {
		q.Add("_pragma", p)
	}
	name := url.URL{Scheme: "file", Opaque: (&url.URL{Path: s.path}).EscapedPath(), RawQuery: q.Encode()}
	db, err := drivers.sqlite(name.String())
	if err != nil {
		return nil, fmt.Errorf("store: open %s: %w", s.path, err)
	}
	db.SetMaxOpenConns(cap(turn.slots))
	db.SetMaxIdleConns(cap(turn.slots))
	return bun.NewDB(db, sqlitedialect.New(), newerColumns).WithQueryHook(statementBound{turn}), nil
}

func (s *sqlite) kind() goose.Dialect { return goose.DialectSQLite3 }

func (s *sqlite) reader() *bun.DB { return s.read }
func (s *sqlite) readGate() *gate { return s.line }

func (s *sqlite) snapshotLevel() sql.IsolationLevel { return sql.LevelDefault }

func (s *sqlite) writer() *bun.DB { return s.write }

func (s *sqlite) questions() prepared { return s.asks }
func (s *sqlite) changes() prepared   { return s.does }

func (s *sqlite) begin(ctx context.Context) (*transaction, error) {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	t := &transaction{Tx: tx}
	t.enqueue = func(ctx context.Context, args river.JobArgs, opts *river.InsertOpts) error {
		t.posted = append(t.posted, opts.Queue)
		_, err := s.insert.InsertTx(ctx, tx.Tx, args, opts)
		return err
	}
	t.free = func() {
		s.steps.ring(t.posted...)
	}
	return t, nil
}

func (s *sqlite) gate() *gate                                   { return s.turn }
func (s *sqlite) retryable(error) bool                          { return false }
func (s *sqlite) lock(context.Context, bun.Tx, string) error    { return nil }
func (s *sqlite) ForUpdate(q *bun.SelectQuery) *bun.SelectQuery { return q }
func (s *sqlite) announce(...string)                            {}
func (s *sqlite) Ago(d time.Duration) any                       { return Moment(time.Now().Add(-d)) }
func (s *sqlite) SizeQuery() string {
	return `SELECT page_count * page_size FROM pragma_page_count, pragma_page_size`
}
func (s *sqlite) Elements(array string) string             { return "json_each(" + array + ")" }
func (s *sqlite) Shared() bool                             { return false }
func (s *sqlite) serve() (release func() error, err error) { return lockFile(s.path + ".lock") }
func (s *sqlite) riverClient(c *river.Config) (RiverClient, error) {
	c.FetchCooldown, c.FetchPollInterval = 10*time.Millisecond, sqliteFetchPoll
	return river.NewClient(newRiverDriver(s.write.DB, s.steps), c)
}

// WorkColumns has functions for JSONB, in which River's SQLite driver keeps the owners and the
// arguments. The work has a column that we add to River's table.
func (s *sqlite) WorkColumns() (owner, args, work string) {
	return "attempted_by ->> '$[#-1]'", "json(args)", "extraction"
}

func (s *sqlite) close() error {
	var errs []error
	for _, db := range []*bun.DB{s.read, s.write} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

func (s *sqlite) Milliseconds(column string) string {
	return "CAST(round(1000 * unixepoch(" + column + ", 'subsec')) AS integer)"
}

// RiverTime is a text, because SQLite compares River's times as texts.
func (s *sqlite) RiverTime(t time.Time) any {
	return t.UTC().Round(time.Millisecond).Format("2006-01-02 15:04:05.000")
}

func (s *sqlite) RiverNow() any { return s.RiverTime(time.Now()) }

// SkipLocked changes nothing, because transactions that write are serial.
func (s *sqlite) SkipLocked(q *bun.SelectQuery) *bun.SelectQuery { return q }

// KeepUnlocked changes nothing either.
func (s *sqlite) KeepUnlocked(q *bun.SelectQuery) *bun.SelectQuery { return q }
