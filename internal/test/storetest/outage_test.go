package storetest_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
)

func ask(t *testing.T, conn *pgx.Conn, within time.Duration) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	return conn.Ping(ctx)
}

func TestOwnServerStopsAndStarts(t *testing.T) {
	t.Parallel()
	server, o := storetest.OwnServer(t)
	for range 2 {
		conn, err := pgx.Connect(t.Context(), o.Database)
		require.NoError(t, err)
		server.Stop()
		require.Error(t, ask(t, conn, time.Minute))
		_, err = pgx.Connect(t.Context(), o.Database)
		require.Error(t, err)
		server.Start()
	}
	conn, err := pgx.Connect(t.Context(), o.Database)
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
	server.Stop() // the end of the test needs it, and starts it
}

func TestLine(t *testing.T) {
	t.Parallel()
	line, o := storetest.Behind(t, storetest.Postgres(t))
	conn, err := pgx.Connect(t.Context(), o.Database)
	require.NoError(t, err)
	require.NoError(t, ask(t, conn, time.Minute))

	line.Silence()
	require.ErrorIs(t, ask(t, conn, 50*time.Millisecond), context.DeadlineExceeded)
	line.Mend()
	conn, err = pgx.Connect(t.Context(), o.Database)
	require.NoError(t, err)

	line.Cut()
	require.Error(t, ask(t, conn, time.Minute))
	_, err = pgx.Connect(t.Context(), o.Database)
	require.Error(t, err)
	line.Mend()
	conn, err = pgx.Connect(t.Context(), o.Database)
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
}
