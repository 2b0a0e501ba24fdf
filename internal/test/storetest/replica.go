package storetest

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/store"
)

// Replica starts a read replica of the PostgreSQL server of o, and returns options for the same
// database there. The replica follows the server with the settings that PostgreSQL ships. It is
// removed when the test ends.
func Replica(t testing.TB, o store.Options) store.Options {
	t.Helper()
	bin, err := programs()
	needed(t, err)
	of, err := url.Parse(o.Database)
	require.NoError(t, err)
	dir, err := os.MkdirTemp("", "replica-") //nolint:usetesting // a socket's path must be short
	require.NoError(t, err)
	attr, err := unprivileged(dir)
	require.NoError(t, err)
	copied := exec.CommandContext(t.Context(), filepath.Join(bin, "pg_basebackup"), "--pgdata", filepath.Join(dir, "data"),
		"--host", of.Query().Get("host"), "--username", "postgres", "--write-recovery-conf", "--checkpoint", "fast", "--no-sync")
	copied.Dir, copied.SysProcAttr = dir, attr
	out, err := copied.CombinedOutput()
	require.NoError(t, err, "%s", out)
	c := &cluster{dir: dir}
	require.NoError(t, c.run(bin, attr, shipped.settings))
	t.Cleanup(func() { require.NoError(t, c.leash.Close()) })
	o.Database = c.url(of.Path[1:])
	return o
}
