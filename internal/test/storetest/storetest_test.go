package storetest_test

import (
	"bufio"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/store"
)

func TestEachGetsAnEmptyDatabaseOfItsOwn(t *testing.T) {
	t.Parallel()
	for range 2 {
		storetest.Each(t, func(t *testing.T, o store.Options) {
			accounts, err := account.New(storetest.Open(t, o), account.DefaultPlans())
			require.NoError(t, err)
			all, err := accounts.List(t.Context())
			require.NoError(t, err)
			require.Empty(t, all)
			_, err = accounts.Set(t.Context(), "acme", account.Settings{})
			require.NoError(t, err)
		})
	}
}

// TestNothingIsLeft kills a test binary that has started a cluster.
func TestNothingIsLeft(t *testing.T) {
	if os.Getenv("STORETEST_CHILD") != "" {
		_, err := os.Stdout.WriteString(storetest.Postgres(t).Database + "\n")
		require.NoError(t, err)
		select {}
	}
	t.Parallel()
	storetest.Postgres(t) // or skip here
	exe, err := os.Executable()
	require.NoError(t, err)
	child := exec.CommandContext(t.Context(), exe, "-test.run=^TestNothingIsLeft$")
	child.Env = append(os.Environ(), "STORETEST_CHILD=1")
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	u, err := url.Parse(strings.TrimSpace(line))
	require.NoError(t, err)
	dir := u.Query().Get("host")
	require.DirExists(t, dir)

	require.NoError(t, child.Process.Kill())
	require.Error(t, child.Wait())
	require.Eventually(t, func() bool {
		_, err := os.Stat(dir)
		return os.IsNotExist(err)
	}, time.Minute, 20*time.Millisecond)
}

// A benchmark's PostgreSQL keeps every commit on the disk. The server of tests does not.
func TestBenchmarksCommitToTheDisk(t *testing.T) {
	t.Parallel()
	settings := func(tb testing.TB) (both string) {
		db := storetest.SQL(tb, storetest.Postgres(tb))
		require.NoError(tb, db.QueryRowContext(tb.Context(), "SELECT current_setting('fsync') || ' ' || current_setting('synchronous_commit')").Scan(&both))
		return both
	}
	require.Equal(t, "off off", settings(t))
	var both string
	testing.Benchmark(func(b *testing.B) { both = settings(b) })
	require.Equal(t, "on on", both)
}
