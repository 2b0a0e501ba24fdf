// Package models downloads and installs the programs of whisper.cpp and models for
// them. A compiled-in table has the address and the hash of each file.
//
//	folder, err := models.Open(models.Options{Dir: "/var/lib/transcriptd/models"})
//	plan, err := folder.Plan(ctx, "small", models.Sources{}) // what, from where, how many bytes
//	err = folder.Pull(ctx, plan, nil)
//	best, err := folder.Best(ctx, models.WhisperCLI) // for whisper.NewCLI
//
// Only [Folder.Pull] downloads. A download goes into a partial file that is named by
// its hash. The file gets its final name only after its hash was checked, and an engine
// only after it has also run once. After an interruption, the next pull continues the
// download.
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

// The programs that run models. An engine contains both.
const (
	WhisperCLI  = "whisper-cli"
	ParakeetCLI = "parakeet-cli"
)

// Errors to compare with errors.Is. The messages of the wrapping errors have the
// details.
var (
	// ErrUnknown reports a name that the table does not have.
	ErrUnknown = errors.New("no such model or engine")
	// ErrNotInstalled reports that nothing usable is installed, or that there is
	// nothing to remove.
	ErrNotInstalled = errors.New("not installed")
	// ErrBusy reports that another process is pulling or removing.
	ErrBusy = errors.New("another pull is at work in this folder")
	// ErrUnreachable reports that no connection to the file server could be made.
	ErrUnreachable = errors.New("it cannot be reached")
	// ErrHash reports a file that differs from the one in the table.
	ErrHash = errors.New("the hash is wrong")
)

// Options configure a [Folder].
type Options struct {
	// Dir is the folder. It is required; the first pull creates it.
	Dir string
	// HTTP downloads files; nil means a client without a proxy. For the proxy of the
	// environment, pass a client that uses it. The folder sets its own policy for redirects.
	HTTP *http.Client
	// Program is the path of the whisper-cli to use, with parakeet-cli in the same folder. Empty
	// means the pulled programs, otherwise the system's.
	Program string
	// Programs runs an engine to check that it works. nil means a runner of the folder's own,
	// which confines the engine like a server does.
	Programs engine.Runner
	// Path is the list of folders in which that runner looks for the system's programs,
	// in the form of PATH; empty means /usr/local/bin:/usr/bin:/bin.
	Path string
	// Table replaces the compiled-in table, for programs with files of their own.
	// nil means [Table].
	Table []Entry
}

// Folder is a folder with pulled engines and models. It is safe for concurrent use,
// also by several processes: only one of them changes it at a time. It need not be
// closed.
type Folder struct {
	dir      string
	http     *http.Client
	program  string
	programs engine.Runner
	table    []Entry

	stall time.Duration // longest time without a byte before a download is tried again
	pause func() backoff.BackOff
}

// Open returns the folder, which need not exist yet. The error names the invalid option.
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

// Dir returns the folder's absolute path.
func (f *Folder) Dir() string { return f.dir }

// entry returns the entry of a name for this machine.
func (f *Folder) entry(name string) (Entry, error) {
	at := slices.IndexFunc(f.table, func(e Entry) bool { return e.Name == name && e.fits() })
	if at < 0 {
		return Entry{}, fmt.Errorf("%w: %q (there are %s)", ErrUnknown, name, f.names())
	}
	return f.table[at], nil
}

// lock keeps other pulls and removals out until it is unlocked or the process ends.
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
	_ = l.Unlock() // the lock ends with the process anyway
}

// syncFolder makes the names in a folder survive a power failure.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // Windows has no such call
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
