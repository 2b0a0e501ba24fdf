package sqldb

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/transcriptkit/transcriptkit/internal/clip"
)

const (
	versionTime = 10 * time.Second // for a program to say its version
	// stallTime is how long a program may move no byte of a dump.
	stallTime = 10 * time.Minute
	pipeGrace = 2 * time.Second // for output that a child of the program holds open
	maxSaid   = 300             // characters of a program's words that an error repeats
	maxKept   = 16 << 10        // bytes of a program's words
)

// program is a program of PostgreSQL.
type program struct {
	name    string
	path    string
	version int
}

// candidates are the paths at which a program may be: the one in PATH first, then those in the
// folders in which Debian keeps the programs of each version.
func candidates(name string) []string {
	paths, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name) // the pattern is good
	if path, err := exec.LookPath(name); err == nil {
		paths = append([]string{path}, paths...)
	}
	return paths
}

// findProgram returns the oldest program that is at least as new as a server. Older programs cannot
// read the server, and much newer ones may use features that the server does not have.
func findProgram(ctx context.Context, name string, server int, paths []string) (*program, error) {
	var found []*program
	var bad error
	for _, path := range paths {
		version, err := versionOf(ctx, path)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			bad = err
			continue
		}
		found = append(found, &program{name, path, version})
	}
	slices.SortStableFunc(found, func(a, b *program) int { return a.version - b.version })
	for _, p := range found {
		if p.version >= server {
			return p, nil
		}
	}
	cure := fmt.Sprintf("install PostgreSQL's client programs of version %d (on Debian the package postgresql-client-%d)", server, server)
	switch {
	case len(found) > 0:
		newest := found[len(found)-1]
		return nil, &Fault{Found: fmt.Sprintf("%s %d is too old for PostgreSQL %d", newest.path, newest.version, server), Cure: cure}
	case bad != nil:
		return nil, &Fault{Found: bad.Error(), Cure: cure, Err: bad}
	}
	return nil, &Fault{Found: "the program " + name + " is not there", Cure: cure}
}

var programVersion = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// versionOf asks a program for its version.
func versionOf(ctx context.Context, path string) (int, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, versionTime, fmt.Errorf("%s has not said its version within %v", path, versionTime))
	defer cancel()
	var said, complaint head
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Stdout, cmd.Stderr = &said, &complaint
	err := runGroup(cmd)
	m := programVersion.FindSubmatch(said.data)
	switch {
	case ctx.Err() != nil:
		return 0, context.Cause(ctx)
	case err != nil || m == nil:
		return 0, fmt.Errorf("%s does not say its version, but %q", path, clip.Line(string(append(said.data, complaint.data...)), maxSaid))
	}
	return strconv.Atoi(string(m[1]))
}

// errStalled ends a program that makes no progress.
var errStalled = errors.New("it has done nothing")

// task is a task for a program.
type task struct {
	args   []string
	stdin  *counted // nil means nothing
	writes string   // the file that the program writes; "" means none
	// moved is how much the program has done. It grows while the program works.
	moved    func() int64
	patience time.Duration // for how long moved may not change
}

// run runs the program on a database; nil means without a database. The password is not among the
// arguments, which every user of the machine can read. The end of ctx kills the program and its
// children.
func (p *program) run(ctx context.Context, config *pgx.ConnConfig, t task) error {
	within, end := context.WithCancelCause(ctx)
	defer end(nil)
	cmd := exec.CommandContext(within, p.path, t.args...)
	// The cures below know the English words.
	cmd.Env = append(cmd.Environ(), "LC_ALL=C")
	if config != nil {
		name, err := withoutSecrets(config)
		if err != nil {
			return err
		}
		cmd.Args = append(cmd.Args, "--no-password", "--dbname="+name)
		cmd.Env = append(cmd.Env, "PGPASSWORD="+config.Password)
	}
	var said head
	cmd.Stderr = &said
	if t.stdin != nil {
		cmd.Stdin = t.stdin
	}
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		t.watch(within, end)
	}()
	err := runGroup(cmd)
	stalled := errors.Is(context.Cause(within), errStalled)
	end(nil)
	<-watched
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case stalled:
		return &Fault{Found: fmt.Sprintf("%s %d has done nothing for %v%s", p.name, p.version, t.patience, saidBefore(said.data)), Cure: "look whether PostgreSQL and the disk answer, and try again", Err: errStalled}
	case t.stdin != nil && t.stdin.failure() != nil:
		return t.stdin.failure()
	case err != nil:
		return p.failed(err, said.data, t.writes)
	}
	return nil
}

// watch ends a program that makes no progress.
func (t task) watch(ctx context.Context, end context.CancelCauseFunc) {
	tick := time.NewTicker(t.patience / 10)
	defer tick.Stop()
	last, at := t.moved(), time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if now := t.moved(); now != last {
			last, at = now, time.Now()
		} else if time.Since(at) >= t.patience {
			end(errStalled)
			return
		}
	}
}

// runGroup runs a command in a process group of its own. The end of the command's context kills the
// group.
func runGroup(cmd *exec.Cmd) error {
	// On Linux the program ends with the thread that has started it, so this thread stays.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = ownGroup()
	cmd.Cancel = func() error { return killGroup(cmd) }
	cmd.WaitDelay = pipeGrace
	if err := cmd.Run(); !errors.Is(err, exec.ErrWaitDelay) {
		return err
	}
	return nil // the program has ended well; a child of it holds a pipe
}

// failed is the error of a failed program, with the remedy for its message.
func (p *program) failed(err error, said []byte, writes string) error {
	words := strings.TrimPrefix(strings.TrimSpace(string(said)), p.name+": error: ")
	if words == "" {
		words = err.Error()
	}
	cure := "correct what it says; the log of PostgreSQL may say more"
	for _, known := range programCures {
		if strings.Contains(words, known.said) {
			cure = known.cure
			break
		}
	}
	doing := fmt.Sprintf("%s %d", p.name, p.version)
	if writes != "" {
		doing += ", which writes " + writes
	}
	return &Fault{Found: doing + ": " + strings.TrimSuffix(clip.Line(words, maxSaid), "."), Cure: cure, Err: err}
}

// programCures are the cures for the words of programs.
var programCures = []struct{ said, cure string }{
	{"signal: killed", "look into the log of this machine, which may have had no memory left, and try again"},
	{"No space left on device", "make room on the disk"},
	{"File too large", "raise the limit of the size of files, or name another disk"},
	{"server version mismatch", "install the client programs of the server's version"},
	{"unsupported version", "install the client programs of the PostgreSQL that made the backup, or newer ones"},
	{"canceling statement due to", "end the program that keeps the tables locked, or try again later"},
	{"invalid snapshot", "the connection of the backup to PostgreSQL has broken: try again"},
	{"permission denied", "name the user who owns the tables in --db"},
	{"end of file", "the dump has lost its end: make it again"},
	{"input file", "the dump is not as pg_dump writes it: make it again"},
	{"connection to server", cureServer},
	{"closed the connection", cureServer},
	{"terminating connection", cureServer},
}

// saidBefore repeats the output of a program, if there is any.
func saidBefore(said []byte) string {
	if words := clip.Line(strings.TrimSpace(string(said)), maxSaid); words != "" {
		return ", and said before: " + words
	}
	return ""
}

// head keeps the first maxKept bytes that are written to it.
type head struct{ data []byte }

// Write never fails: a program may say more than is kept.
func (h *head) Write(p []byte) (int, error) {
	h.data = append(h.data, p[:min(len(p), maxKept-len(h.data))]...)
	return len(p), nil
}
