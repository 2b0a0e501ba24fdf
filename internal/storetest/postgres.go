package storetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/store"
)

// template is the database that each test's own is a copy of.
const template = "template_store"

// startTimeout is for initdb and the first start on a busy machine.
const startTimeout = 2 * time.Minute

// errMissing says that PostgreSQL is not installed.
var errMissing = errors.New("storetest: PostgreSQL is not installed: no initdb in PATH or /usr/lib/postgresql/*/bin")

// theCluster is the one of this test binary.
var theCluster = sync.OnceValues(startCluster)

// cluster is a running PostgreSQL server.
type cluster struct {
	dir string // with the socket
	// leash is a pipe's end: when it closes, which it does when this process ends
	// in whatever way, the server stops and its directory goes.
	leash     io.WriteCloser
	databases atomic.Int64
	// strategy is how a database becomes a copy of the template: file by file, which
	// takes half the time of page by page, the way of PostgreSQL 15 and later unless
	// told; those before know no other way, and not the word.
	strategy string
}

// newDatabase returns the URL of a database that is dropped when the test ends.
func newDatabase(t testing.TB) string {
	t.Helper()
	c, err := theCluster()
	needed(t, err)
	return c.database(t)
}

func (c *cluster) database(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("test_%d", c.databases.Add(1))
	require.NoError(t, c.admin(t.Context(), "CREATE DATABASE "+name+" TEMPLATE "+template+c.strategy))
	t.Cleanup(func() {
		require.NoError(t, c.admin(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)"))
	})
	return c.url(name)
}

// needed skips the test where PostgreSQL is not installed and need not be.
func needed(t testing.TB, err error) {
	t.Helper()
	ci := os.Getenv("CI") == "true" //nolint:forbidigo // where every program must be there, as the package's comment says
	if errors.Is(err, errMissing) && !ci {
		t.Skip(err)
	}
	require.NoError(t, err)
}

// startCluster makes a cluster and starts its server as an unprivileged user.
func startCluster() (_ *cluster, err error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(memory(), "storetest-")
	if err != nil {
		return nil, fmt.Errorf("storetest: %w", err)
	}
	c := &cluster{dir: dir}
	defer func() {
		if err == nil {
			return
		}
		if c.leash != nil {
			err = errors.Join(err, c.leash.Close())
		}
		err = errors.Join(err, os.RemoveAll(dir))
	}()

	attr, err := unprivileged(dir)
	if err != nil {
		return nil, err
	}
	if err := c.initialize(bin, attr); err != nil {
		return nil, err
	}
	if err := c.run(bin, attr); err != nil {
		return nil, err
	}
	return c, c.makeTemplate()
}

// programs returns the directory of PostgreSQL's programs: the newest that is
// installed, or the one in PATH.
func programs() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil {
		return "", fmt.Errorf("storetest: %w", err)
	}
	if len(found) > 0 {
		return filepath.Dir(slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) })), nil
	}
	path, err := exec.LookPath("initdb")
	if err != nil {
		return "", errMissing
	}
	return filepath.Dir(path), nil
}

func version(initdb string) int {
	n, err := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(initdb))))
	if err != nil {
		return 0 // not a version's directory: the last choice
	}
	return n
}

// unprivileged gives the directory to a user that PostgreSQL agrees to run as.
func unprivileged(dir string) (*syscall.SysProcAttr, error) {
	// A session of its own: an interrupt at the terminal is not for it.
	attr := &syscall.SysProcAttr{Setsid: true}
	if os.Geteuid() != 0 {
		return attr, nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		account, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, fmt.Errorf("storetest: no user to run PostgreSQL as: %w", err)
	}
	uid, err := strconv.ParseUint(account.Uid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("storetest: user %s: %w", account.Username, err)
	}
	gid, err := strconv.ParseUint(account.Gid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("storetest: user %s: %w", account.Username, err)
	}
	attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	if err := os.Chown(dir, int(uid), int(gid)); err != nil {
		return nil, fmt.Errorf("storetest: %w", err)
	}
	return attr, nil
}

func (c *cluster) initialize(bin string, attr *syscall.SysProcAttr) error {
	cmd := exec.Command(filepath.Join(bin, "initdb"), "--pgdata", filepath.Join(c.dir, "data"),
		"--username", "postgres", "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync")
	cmd.Dir, cmd.SysProcAttr = c.dir, attr
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("storetest: initdb: %w\n%s", err, out)
	}
	return nil
}

// watchdog runs the server until its own standard input ends, and stops and
// starts it when that says so. A stop is the server's "fast" one, a crash its
// "immediate" one, which leaves its pid file behind.
const watchdog = `dir=$PWD
start() { "$@" >>log 2>&1 </dev/null & server=$!; }
start "$@"
while read -r command; do
	case $command in
	stop) kill -INT $server; wait $server;;
	crash) kill -QUIT $server; wait $server; rm -f data/postmaster.pid;;
	start) start "$@";;
	esac
done
kill -QUIT $server; wait $server
cd /; rm -rf "$dir"`

// run starts the server. It is reached through a socket in its own directory
// only, so it needs no port and nobody else reaches it.
func (c *cluster) run(bin string, attr *syscall.SysProcAttr) error {
	cmd := exec.Command("/bin/sh", "-c", watchdog, "sh", filepath.Join(bin, "postgres"),
		"-D", filepath.Join(c.dir, "data"), "-k", c.dir, "-c", "listen_addresses=",
		"-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off",
		"-c", "max_connections=500", "-c", "shared_buffers=32MB", "-c", "max_wal_size=128MB",
		// Nothing is gained where a database lives for a second: neither by a process that
		// cleans each in turn, nor by machine code for a statement.
		"-c", "autovacuum=off", "-c", "jit=off")
	cmd.Dir, cmd.SysProcAttr = c.dir, attr
	leash, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("storetest: %w", err)
	}
	c.leash = leash
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("storetest: start PostgreSQL: %w", err)
	}
	return c.wait()
}

// wait returns once the server answers.
func (c *cluster) wait() error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := c.admin(ctx, "SELECT 1")
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			log, _ := os.ReadFile(filepath.Join(c.dir, "log")) // only to say more
			return fmt.Errorf("storetest: PostgreSQL does not answer: %w\n%s", err, log)
		case <-tick.C:
		}
	}
}

// makeTemplate lets the store make its tables once.
func (c *cluster) makeTemplate() error {
	ctx := context.Background()
	c.strategy = " STRATEGY file_copy"
	err := c.admin(ctx, "CREATE DATABASE "+template+c.strategy)
	if err != nil {
		c.strategy = ""
		err = c.admin(ctx, "CREATE DATABASE "+template)
	}
	if err != nil {
		return err
	}
	s, err := store.Open(ctx, store.Options{Database: c.url(template), Blobs: store.InMemory})
	if err != nil {
		return err
	}
	return s.Close()
}

func (c *cluster) url(database string) string {
	u := url.URL{Scheme: "postgres", User: url.User("postgres"), Path: "/" + database,
		RawQuery: url.Values{"host": {c.dir}}.Encode()}
	return u.String()
}

func (c *cluster) admin(ctx context.Context, statement string) error {
	conn, err := pgx.Connect(ctx, c.url("postgres"))
	if err != nil {
		return fmt.Errorf("storetest: %w", err)
	}
	_, err = conn.Exec(ctx, statement)
	if err = errors.Join(err, conn.Close(ctx)); err != nil {
		return fmt.Errorf("storetest: %s: %w", statement, err)
	}
	return nil
}
