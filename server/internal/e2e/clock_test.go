package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// falseClock is the clock of the programs that are started until onlyTheServer
// is called (libfaketime).
type falseClock struct{ file string }

func newFalseClock(t *testing.T) falseClock {
	t.Helper()
	libs, err := filepath.Glob("/usr/lib/*/faketime/libfaketime.so.1")
	require.NoError(t, err)
	if len(libs) == 0 {
		t.Skip("libfaketime is not here; make soak installs it")
	}
	dir, err := os.MkdirTemp("", "clock-") //nolint:usetesting // the server's user must be able to read it
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o755))
	c := falseClock{filepath.Join(dir, "offset")}
	c.write(t, 0)
	for name, value := range map[string]string{
		"LD_PRELOAD":              libs[0],
		"FAKETIME_TIMESTAMP_FILE": c.file,
		"FAKETIME_NO_CACHE":       "1",
		"DONT_FAKE_MONOTONIC":     "1",
	} {
		t.Setenv(name, value)
	}
	return c
}

func (c falseClock) onlyTheServer(t *testing.T) {
	t.Helper()
	t.Setenv("LD_PRELOAD", "")
}

func (c falseClock) write(t *testing.T, off time.Duration) {
	t.Helper()
	offset := fmt.Sprintf("%+d\n", int(off.Seconds()))
	require.NoError(t, os.WriteFile(c.file, []byte(offset), 0o644))
}

// set makes the server's clock wrong, and looks whether it is.
func (c falseClock) set(t *testing.T, database string, off time.Duration) {
	t.Helper()
	c.write(t, off)
	conn, err := pgx.Connect(t.Context(), database)
	require.NoError(t, err)
	var now time.Time
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT now()").Scan(&now))
	require.NoError(t, conn.Close(t.Context()))
	require.WithinDuration(t, time.Now().Add(off), now, 5*time.Second)
}
