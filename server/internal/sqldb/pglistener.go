package sqldb

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// channel is the NOTIFY channel; a payload is a topic.
	channel = "transcriptkit"
	// pingEvery is how long the connection may be quiet before it is asked whether
	// it is still there.
	pingEvery = 10 * time.Second
)

// listener wakes this process's watchers when any process has committed a change. It
// has one connection, and replaces a broken connection. The lock of the session is on that
// connection.
type listener struct {
	config  *pgx.ConnConfig
	hub     *hub
	session *session
	log     *slog.Logger
	cancel  context.CancelFunc
	done    chan struct{}
}

// listen returns when no later commit can be missed.
func listen(ctx context.Context, config *pgx.ConnConfig, hub *hub, log *slog.Logger) (*listener, error) {
	l := &listener{config: config, hub: hub, session: newSession(), log: log, done: make(chan struct{})}
	conn, err := l.connect(ctx)
	if err != nil {
		return nil, err
	}
	ctx, l.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go l.run(ctx, conn)
	return l, nil
}

func (l *listener) connect(ctx context.Context) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, l.config)
	if err != nil {
		return nil, Wrap("listen", err)
	}
	_, err = conn.Exec(ctx, "LISTEN "+channel)
	if err == nil {
		err = l.session.begin(ctx, conn)
	}
	if err != nil {
		hangUp(conn)
		return nil, Wrap("listen", err)
	}
	return conn, nil
}

func (l *listener) run(ctx context.Context, conn *pgx.Conn) {
	defer close(l.done)
	for {
		err := l.receive(ctx, conn)
		l.session.lost()
		hangUp(conn)
		if ctx.Err() != nil {
			return
		}
		l.log.WarnContext(ctx, "store: the connection for notifications broke", "err", err)
		if conn = l.reconnect(ctx); conn == nil {
			return
		}
		l.hub.wakeAll() // for what was missed meanwhile
	}
}

// receive returns when the connection breaks, or is dead without a sign.
func (l *listener) receive(ctx context.Context, conn *pgx.Conn) error {
	for {
		waiting, cancel := context.WithTimeout(ctx, pingEvery)
		n, err := conn.WaitForNotification(waiting)
		cancel()
		switch {
		case err == nil:
			l.hub.wake(n.Payload)
		case waiting.Err() == nil || ctx.Err() != nil:
			return err
		default:
			if err := ping(ctx, conn); err != nil {
				return err
			}
		}
	}
}

func ping(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	return conn.Ping(ctx)
}

// reconnect tries until it succeeds; nil means that ctx has ended.
func (l *listener) reconnect(ctx context.Context) *pgx.Conn {
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		conn, err := l.connect(ctx)
		if err == nil {
			return conn
		}
		l.log.WarnContext(ctx, "store: no connection for notifications", "err", err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
	}
}

// hangUp closes a connection that may be broken, without waiting long for an
// answer of the server.
func hangUp(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Close(ctx) // nothing is lost with it
	select {            // after an error pgx closes in the background
	case <-conn.PgConn().CleanupDone():
	case <-ctx.Done():
	}
}

func (l *listener) close() {
	l.cancel()
	<-l.done
}
