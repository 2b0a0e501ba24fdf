// Package models gets a recognizer worth having: the program whisper-cli and
// models for it, from a table that is compiled in and names the hash of each file.
//
//	folder, err := models.Open(models.Options{Dir: "/var/lib/transcriptd/models"})
//	plan, err := folder.Plan(ctx, "small", models.Sources{}) // what, from where, how many bytes
//	err = folder.Pull(ctx, plan, nil)
//	best, err := folder.Best(ctx) // for whisper.NewCLI
//
// Nothing is downloaded but by [Folder.Pull]. What is downloaded goes into a partial
// file that is named by its hash; it gets its own name only when the hash is right,
// and an engine only when it has also been run once. Whatever interrupts that, the
// next pull goes on from there.
package models

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/gofrs/flock"

	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/server/engine"
)

// cliName is the program that models are for.
const cliName = "whisper-cli"

// Errors that callers tell apart; more is in their messages.
var (
	// ErrUnknown is a name that the table does not have.
	ErrUnknown = errors.New("no such model or engine")
	// ErrNotInstalled is that nothing was pulled that could be used, or removed.
	ErrNotInstalled = errors.New("not installed")
	// ErrBusy is that another process pulls or removes at this moment.
	ErrBusy = errors.New("another pull is at work in this folder")
	// ErrUnreachable is that no connection to a server of files could be made.
	ErrUnreachable = errors.New("it cannot be reached")
	// ErrHash is a file that is not the one in the table.
	ErrHash = errors.New("the hash is wrong")
)

// Options say where a [Folder] is and what it works with.
type Options struct {
	// Dir is the folder. It is needed; it is made by the first pull.
	Dir string
	// HTTP downloads. nil means a client that knows no proxy: whoever wants that of
	// the environment hands over a client with it. Its redirects are the folder's.
	HTTP *http.Client
	// Program is the whisper-cli to use, a path. Empty means the one that was
	// pulled, else the one of the system.
	Program string
	// Programs runs an engine to see whether it works. nil means a runner of the
	// folder's own, which confines it as a server does.
	Programs engine.Runner
	// Path is the list of folders in which such a runner looks for the system's
	// whisper-cli, as the environment has it in PATH; empty means the usual ones.
	Path string
	// Table replaces the table that is compiled in, for tests and for programs that
	// bring files of their own. nil means [Table].
	Table []Entry
}

// Folder is where pulled engines and models lie. It is safe for concurrent use, and
// by several processes: one of them changes it at a time. It needs no closing.
type Folder struct {
	dir      string
	http     *http.Client
	program  string
	programs engine.Runner
	table    []Entry

	stall time.Duration // without a byte, until a download is tried again
	pause func() backoff.BackOff
}

// Open returns the folder, which need not be there yet. The error names the option
// that cannot be used.
func Open(o Options) (*Folder, error) {
	if o.Dir == "" {
		return nil, errors.New("models: Dir: no folder is named")
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("models: Dir: %w", err)
	}
	if o.Programs == nil {
		if o.Programs, err = run.New(run.Config{Dir: os.TempDir(), Path: o.Path}); err != nil {
			return nil, fmt.Errorf("models: Programs: %w", err)
		}
	}
	f := &Folder{
		dir: dir, program: o.Program, programs: o.Programs, table: o.Table,
		stall: 30 * time.Second, pause: pauses,
	}
	if f.table == nil {
		f.table = Table()
	}
	f.http = downloader(cmp.Or(o.HTTP, &http.Client{Transport: withoutProxy()}))
	return f, nil
}

// Dir is the folder's absolute path.
func (f *Folder) Dir() string { return f.dir }

// entry is the entry of a name for this machine.
func (f *Folder) entry(name string) (Entry, error) {
	at := slices.IndexFunc(f.table, func(e Entry) bool { return e.Name == name && e.fits() })
	if at < 0 {
		return Entry{}, fmt.Errorf("%w: %q (there are %s)", ErrUnknown, name, f.names())
	}
	return f.table[at], nil
}

// lock keeps other pulls and removals away until it is unlocked or the process ends.
func (f *Folder) lock(ctx context.Context) (*flock.Flock, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	l := flock.New(filepath.Join(f.dir, ".lock"))
	switch held, err := l.TryLock(); {
	case err != nil:
		return nil, fmt.Errorf("models: lock: %w", err)
	case !held:
		return nil, fmt.Errorf("%w: %s", ErrBusy, f.dir)
	}
	return l, nil
}

func unlock(l *flock.Flock) {
	_ = l.Unlock() // it ends with the process anyway
}

// syncFolder makes the names in a folder survive a loss of power.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // it has no such call
	}
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("models: %w", err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("models: %w", err)
	}
	return nil
}
