package sqldb

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
)

const (
	// pgConns limits the connections for our own queries. River has a pool of its own, whose
	// size is pool_max_conns in the URL, and the listener has one more connection.
	pgConns = 16
	// maxIdleInTx is how long a transaction may be idle between two statements. A
	// transaction is idle only if its process is stopped or unreachable.
	maxIdleInTx = 10 * time.Second
	// pgFetchPoll is how often River looks for steps without being woken. River's connection for
	// notifications may be broken, and River then takes up to a minute to replace it.
	pgFetchPoll = 5 * time.Second
)

// postgres is a database that many processes serve.
type postgres struct {
	config   *pgx.ConnConfig
	db       *bun.DB
	turn     *gate         // before db
	pool     *pgxpool.Pool // River's
	insert   *river.Client[pgx.Tx]
	listener *listener

	announcer *announcer
	log       *slog.Logger
}

func openPostgres(ctx context.Context, o Options, hub *hub) (*postgres, error) {
	config, err := pgxpool.ParseConfig(o.Database)
	if err != nil { // pgx leaves the password out
		return nil, fmt.Errorf("store: database URL: %w", err)
	}
	config.ConnConfig.ConnectTimeout = cmp.Or(config.ConnConfig.ConnectTimeout, answerTime)
	config.PingTimeout = cmp.Or(config.PingTimeout, answerTime)
	ours := config.ConnConfig.Copy()
	ours.Tracer = o.Drivers.Postgres
	config.ConnConfig.Tracer = queueBound{}
	config.AfterConnect = readCommitted
	p := &postgres{config: ours, turn: newGate(pgConns), log: o.Log}
	p.db = pgPool(ours.Copy(), p.turn)
	if p.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, errors.Join(Wrap("open", err), p.close())
	}
	err = hasTables(ctx, p.db, "SELECT to_regclass('goose_db_version') IS NOT NULL")
	if errors.Is(err, ErrNoDatabase) && !o.MustExist {
		err = nil // the caller makes the tables
	}
	var refused *pgconn.PgError
	if errors.Is(err, ErrNoDatabase) || errors.As(err, &refused) && refused.Code == "3D000" {
		err = fmt.Errorf("%w: %s on %s", ErrNoDatabase, ours.Database, ours.Host)
	}
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	if p.insert, err = river.NewClient(riverpgxv5.New(nil), o.Inserts); err != nil {
		return nil, errors.Join(fmt.Errorf("store: queue: %w", err), p.close())
	}
	if p.listener, err = listen(ctx, ours, hub, o.Log); err != nil {
		return nil, errors.Join(err, p.close())
	}
	p.announcer = announce(ctx, p.db, o.Log)
	return p, nil
}

// pgPool makes the pool for bun. bun writes the arguments into the statement, so the
// simple protocol saves the round trip that prepares the statement. Ask and Do have the
// driver prepare their statements.
func pgPool(config *pgx.ConnConfig, turn *gate) *bun.DB {
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	db := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(prepareConn))
	db.SetMaxOpenConns(cap(turn.slots))
	db.SetMaxIdleConns(cap(turn.slots))
	db.SetConnMaxIdleTime(5 * time.Minute)
	return bun.NewDB(db, pgdialect.New(), newerColumns).WithQueryHook(statementBound{turn})
}

// prepareConn makes times UTC. It limits how long the locks of a stopped process block the
// other processes.
func prepareConn(ctx context.Context, c *pgx.Conn) error {
	c.TypeMap().RegisterType(&pgtype.Type{
		Name:  "timestamptz",
		OID:   pgtype.TimestamptzOID,
		Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
	})
	if _, err := c.Exec(ctx, fmt.Sprintf("SET idle_in_transaction_session_timeout = %d", maxIdleInTx.Milliseconds())); err != nil {
		return err
	}
	return readCommitted(ctx, c)
}

// readCommitted sets the isolation of all transactions of a connection. Under a stricter
// default of the operator, a statement that waits for a lock fails.
func readCommitted(ctx context.Context, c *pgx.Conn) error {
	_, err := c.Exec(ctx, "SET default_transaction_isolation = 'read committed'")
	return err
}

func (p *postgres) kind() goose.Dialect { return goose.DialectPostgres }

func (p *postgres) gate() *gate     { return p.turn }
func (p *postgres) readGate() *gate { return p.turn }
func (p *postgres) reader() *bun.DB { return p.db }
func (p *postgres) writer() *bun.DB { return p.db }

func (p *postgres) snapshotLevel() sql.IsolationLevel { return sql.LevelRepeatableRead }

func (p *postgres) questions() prepared { return pgPrepared{p.db, p.turn} }
func (p *postgres) changes() prepared   { return pgPrepared{p.db, p.turn} }

// begin pins a connection, because River gets the pgx connection under the transaction.
func (p *postgres) begin(ctx context.Context) (*transaction, error) {
	conn, err := p.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	free := func() { _ = conn.Close() } // fails only if the pool has closed it before
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		free()
		return nil, err
	}
	enqueue := func(ctx context.Context, args river.JobArgs, opts *river.InsertOpts) error {
		return conn.Raw(func(c any) error {
			pg := c.(*stdlib.Conn).Conn()
			// The end of a context may have rolled the transaction back. A row that is
			// inserted now would stay.
			if pg.PgConn().TxStatus() != 'T' {
				return sql.ErrTxDone
			}
			_, err := p.insert.InsertTx(ctx, pgTx{pgxConn: pg}, args, opts)
			return err
		})
	}
	return &transaction{Tx: tx, enqueue: enqueue, free: free}, nil
}

func (p *postgres) retryable(err error) bool {
	const serializationFailure, deadlock = "40001", "40P01"
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == serializationFailure || e.Code == deadlock)
}

func (p *postgres) lock(ctx context.Context, tx bun.Tx, key string) error {
	_, err := tx.NewRaw("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", key).Exec(ctx)
	return err
}

// ForUpdate lets other transactions insert rows that refer to the locked rows. A place
// refers to its job, for example, and a job may be locked while it waits for a place.
func (p *postgres) ForUpdate(q *bun.SelectQuery) *bun.SelectQuery { return q.For("NO KEY UPDATE") }

func (p *postgres) announce(topics ...string) { p.announcer.add(topics...) }

func (p *postgres) riverClient(c *river.Config) (RiverClient, error) {
	c.FetchCooldown, c.FetchPollInterval = 5*time.Millisecond, pgFetchPoll
	return river.NewClient(riverpgxv5.New(p.pool), c)
}

func (p *postgres) Milliseconds(column string) string {
	return "CAST(round(1000 * extract(epoch FROM " + column + ")) AS bigint)"
}

func (p *postgres) RiverTime(t time.Time) any { return t }
func (p *postgres) RiverNow() any             { return bun.Safe("now()") }

func (p *postgres) SkipLocked(q *bun.SelectQuery) *bun.SelectQuery {
	return q.For("UPDATE SKIP LOCKED")
}

func (p *postgres) KeepUnlocked(q *bun.SelectQuery) *bun.SelectQuery {
	return q.For("SHARE SKIP LOCKED")
}

func (p *postgres) WorkColumns() (owner, args, work string) {
	return "attempted_by[array_upper(attempted_by, 1)]", "CAST(args AS text)", "args ->> 'extraction'"
}

func (p *postgres) Ago(d time.Duration) any {
	return bun.Safe(fmt.Sprintf("(clock_timestamp() - interval '%d microseconds')", d.Microseconds()))
}

func (p *postgres) SizeQuery() string { return `SELECT pg_database_size(current_database())` }
func (p *postgres) Shared() bool      { return true }

func (p *postgres) Elements(array string) string {
	return "json_array_elements_text(" + array + ") AS elements (value)"
}

func (p *postgres) serve() (release func() error, err error) {
	return func() error { return nil }, nil
}

func (p *postgres) close() error {
	if p.announcer != nil {
		p.announcer.close()
	}
	if p.listener != nil {
		p.listener.close()
	}
	if p.pool != nil {
		p.pool.Close()
	}
	return p.db.Close()
}
