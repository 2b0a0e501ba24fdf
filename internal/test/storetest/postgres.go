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

// template is the database from which each test's database is copied.
const template = "template_store"

// startTimeout limits initdb and the first start on a busy machine.
const startTimeout = 10 * time.Minute

// errMissing says that PostgreSQL is not installed.
var errMissing = errors.New("storetest: PostgreSQL is not installed: no initdb in PATH or /usr/lib/postgresql/*/bin")

// theCluster is the cluster of this test binary's tests, and benchCluster is the cluster of its
// benchmarks.
var (
	theCluster   = sync.OnceValues(func() (*cluster, error) { return startCluster(hasty) })
	benchCluster = sync.OnceValues(func() (*cluster, error) { return startCluster(shipped) })
)

// setup is how a cluster is made.
type setup struct {
	inMemory bool
	settings []string // arguments of the server
}

// hasty is for tests. A crash of the machine would lose the latest commits.
var hasty = setup{true, []string{
	"-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off",
	"-c", "max_connections=500", "-c", "shared_buffers=32MB", "-c", "max_wal_size=128MB",
	// A database that lives for a second gains nothing from a process that vacuums it, or
	// from machine code for statements.
	"-c", "autovacuum=off", "-c", "jit=off",
}}

// shipped is for benchmarks: a server on a disk, with the settings that PostgreSQL ships. Only
// the number of connections is higher, because benchmarks open several stores at once.
var shipped = setup{settings: []string{"-c", "max_connections=200"}}

// cluster is a running PostgreSQL server.
type cluster struct {
	dir string // holds the socket
	// leash is one end of a pipe. It closes when this process ends in any way. The server then
	// stops and its directory is removed.
	leash     io.WriteCloser
	databases atomic.Int64
	// strategy is the SQL that selects how the template is copied. Copying files takes half the
	// time of copying pages, which is the default of PostgreSQL 15 and later. Older versions
	// always copy files and do not know the keyword.
	strategy string
}

// newDatabase returns the URL of a database that is dropped when the test ends.
func newDatabase(t testing.TB) string {
	t.Helper()
	clusterOf := theCluster
	if _, measures := t.(*testing.B); measures {
		clusterOf = benchCluster
	}
	c, err := clusterOf()
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

// EmptyPostgres returns the URL of a database without tables, which is dropped when the test ends.
func EmptyPostgres(t testing.TB) string {
	t.Helper()
	c, err := theCluster()
	needed(t, err)
	name := fmt.Sprintf("empty_%d", c.databases.Add(1))
	require.NoError(t, c.admin(t.Context(), "CREATE DATABASE "+name+" TEMPLATE template0"))
	t.Cleanup(func() {
		require.NoError(t, c.admin(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)"))
	})
	return c.url(name)
}

// needed skips the test if PostgreSQL is not installed and not required.
func needed(t testing.TB, err error) {
	t.Helper()
	ci := os.Getenv("CI") == "true" //nolint:forbidigo // every program is required there, as the package comment says
	if errors.Is(err, errMissing) && !ci {
		t.Skip(err)
	}
	require.NoError(t, err)
}

// startCluster makes a cluster and starts its server as an unprivileged user.
func startCluster(how setup) (_ *cluster, err error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	parent := "" // the folder of temporary files
	if how.inMemory {
		parent = memory()
	}
	dir, err := os.MkdirTemp(parent, "storetest-")
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
	if err := c.run(bin, attr, how.settings); err != nil {
		return nil, err
	}
	return c, c.makeTemplate()
}

// programs returns the directory of PostgreSQL's programs: the newest installed version, or the
// one in PATH.
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
		return 0 // not the directory of a version: the last choice
	}
	return n
}

// unprivileged gives the directory to a user that PostgreSQL may run as.
func unprivileged(dir string) (*syscall.SysProcAttr, error) {
	// Use a session of its own, so that an interrupt at the terminal does not reach the server.
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

// watchdog runs the server until its own standard input ends, and stops and starts the server
// on commands from there. A stop uses the server's "fast" mode. A crash uses the "immediate"
// mode, which leaves the pid file behind.
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

// run starts the server. The server listens only on a socket in its own directory, so it needs
// no port, and other programs cannot reach it.
func (c *cluster) run(bin string, attr *syscall.SysProcAttr, settings []string) error {
	command := slices.Concat([]string{"-c", watchdog, "sh", filepath.Join(bin, "postgres"),
		"-D", filepath.Join(c.dir, "data"), "-k", c.dir, "-c", "listen_addresses="}, settings)
	cmd := exec.Command("/bin/sh", command...)
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

// wait returns when the server answers.
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
			log, _ := os.ReadFile(filepath.Join(c.dir, "log")) // only for the message
			return fmt.Errorf("storetest: PostgreSQL does not answer: %w\n%s", err, log)
		case <-tick.C:
		}
	}
}

// makeTemplate lets the store create its tables once.
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
