package db

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
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	_ "modernc.org/sqlite" // the driver named "sqlite"

	"github.com/transcriptkit/transcriptkit/server/internal/window"
)

const (
	// busyTimeout is how long a statement waits for another program's write. It
	// cannot be ended before.
	busyTimeout = 500 * time.Millisecond
	// migrationWait is how long another process may take to change tables.
	migrationWait = 5 * time.Second
	readers       = 4
)

// sqlite is a file that one process serves. All writes, the queue's too, go
// through one connection: they are serial anyway, and waiting in Go is fair
// where waiting in SQLite is not.
type sqlite struct {
	path   string
	write  *bun.DB
	turn   *gate // before write
	tables versions
	read   *bun.DB
	line   *gate // before read
	insert *river.Client[*sql.Tx]

	requests window.Counter[RequestWindow]
}

func openSQLite(ctx context.Context, path string, o Options, log *slog.Logger) (*sqlite, error) {
	if path == "" || path == ":memory:" {
		return nil, errors.New("store: SQLite needs the path of a file")
	}
	if err := touch(path, o.MustExist); err != nil {
		return nil, err
	}
	s := &sqlite{path: path, turn: newGate(1), line: newGate(readers)}
	var err error
	if s.read, err = s.pool(ctx, s.line, "query_only(1)"); err != nil {
		return nil, err
	}
	if o.MustExist { // before anything is written
		if err := hasTables(ctx, s.read, "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'goose_db_version')"); err != nil {
			return nil, errors.Join(fmt.Errorf("%w: %s", err, path), s.close())
		}
	}
	synchronous := "NORMAL"
	if o.FullSync {
		synchronous = "FULL"
	}
	if s.write, err = s.pool(ctx, s.turn, "journal_mode(WAL)", "synchronous("+synchronous+")", "foreign_keys(1)"); err != nil {
		return nil, errors.Join(err, s.close())
	}
	if s.tables, err = newest(goose.DialectSQLite3, s.write, riversqlite.New(nil)); err != nil {
		return nil, errors.Join(err, s.close())
	}
	if err := s.migrate(ctx, log); err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.insert, err = river.NewClient(riversqlite.New(s.write.DB), insertConfig(log))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("store: queue: %w", err), s.close())
	}
	return s, nil
}

// touch makes the file, unless it must be there. SQLite gives its other files the rights
// of this one: texts and key hashes are for the service's user only.
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

func (s *sqlite) pool(ctx context.Context, turn *gate, pragmas ...string) (*bun.DB, error) {
	q := url.Values{"_txlock": {"immediate"}, "_timezone": {"UTC"}}
	// First of all, so that the others wait too.
	q.Add("_pragma", fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()))
	for _, p := range pragmas {
		q.Add("_pragma", p)
	}
	name := url.URL{Scheme: "file", Opaque: (&url.URL{Path: s.path}).EscapedPath(), RawQuery: q.Encode()}
	db, err := openDriver(ctx, name.String())
	if err != nil {
		return nil, fmt.Errorf("store: open %s: %w", s.path, err)
	}
	db.SetMaxOpenConns(cap(turn.slots))
	db.SetMaxIdleConns(cap(turn.slots))
	return bun.NewDB(db, sqlitedialect.New()).WithQueryHook(statementBound{turn}), nil
}

// migrate changes tables only under the lock of the process that serves.
func (s *sqlite) migrate(ctx context.Context, log *slog.Logger) error {
	ctx = unbounded(ctx)
	deadline := time.Now().Add(migrationWait)
	for {
		if upToDate(ctx, s.write, s.tables) == nil {
			return nil
		}
		unlock, err := s.serve()
		if err == nil {
			return errors.Join(migrate(ctx, goose.DialectSQLite3, s.write, riversqlite.New(s.write.DB), log), unlock())
		}
		// The holder of the lock may be migrating too.
		if !errors.Is(err, ErrServed) || time.Now().After(deadline) {
			return err
		}
		if !pause(ctx, 4) {
			return wrap("migrate", context.Cause(ctx))
		}
	}
}

func (s *sqlite) reader() *bun.DB { return s.read }
func (s *sqlite) readGate() *gate { return s.line }

func (s *sqlite) snapshotLevel() sql.IsolationLevel { return sql.LevelDefault }

func (s *sqlite) writer() *bun.DB { return s.write }

func (s *sqlite) prepared() *prepared { return &prepared{db: s.read, gate: s.line} }

func (s *sqlite) begin(ctx context.Context) (*transaction, error) {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	enqueue := func(ctx context.Context, args river.JobArgs, opts *river.InsertOpts) error {
		_, err := s.insert.InsertTx(ctx, tx.Tx, args, opts)
		return err
	}
	return &transaction{Tx: tx, enqueue: enqueue, free: func() {}}, nil
}

func (s *sqlite) wants() versions                                  { return s.tables }
func (s *sqlite) gate() *gate                                      { return s.turn }
func (s *sqlite) retryable(error) bool                             { return false }
func (s *sqlite) lock(context.Context, bun.Tx, string) error       { return nil }
func (s *sqlite) forUpdate(q *bun.SelectQuery) *bun.SelectQuery    { return q }
func (s *sqlite) announce(context.Context, bun.Tx, []string) error { return nil }
func (s *sqlite) ago(d time.Duration) any                          { return moment(time.Now().Add(-d)) }
func (s *sqlite) sizeQuery() string {
	return `SELECT page_count * page_size FROM pragma_page_count, pragma_page_size`
}
func (s *sqlite) shared() bool                             { return false }
func (s *sqlite) serve() (release func() error, err error) { return lockFile(s.path + ".lock") }
func (s *sqlite) worker(c *river.Config) (client, error) {
	c.FetchCooldown = 10 * time.Millisecond
	return river.NewClient(riversqlite.New(s.write.DB), c)
}

// workColumns: they hold JSONB.
func (s *sqlite) workColumns() (owner, args string) {
	return "attempted_by ->> '$[#-1]'", "json(args)"
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

func (s *sqlite) milliseconds(column string) string {
	return "CAST(round(1000 * unixepoch(" + column + ", 'subsec')) AS integer)"
}

// riverTime is a text, by which SQLite compares.
func (s *sqlite) riverTime(t time.Time) any {
	return t.UTC().Round(time.Millisecond).Format("2006-01-02 15:04:05.000")
}

func (s *sqlite) riverNow() any { return s.riverTime(time.Now()) }

// skipLocked: transactions that write are serial.
func (s *sqlite) skipLocked(q *bun.SelectQuery) *bun.SelectQuery { return q }
