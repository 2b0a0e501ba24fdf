// Package scratch gives a process a directory for temporary files that is removed soon after
// the process has ended:
//
//	dir, err := scratch.New("") // also removes the directories of killed processes
//	defer dir.Remove()
//
// A lock in each directory shows whether its process is alive.
package scratch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const (
	prefix   = "transcriptkit-"
	lockName = ".lock"
)

// Dir is a directory that belongs to one process.
type Dir struct {
	path string
	lock *os.File
}

// New makes a directory within base (empty: the system's directory for temporary files), and
// removes the directories of dead processes.
func New(base string) (*Dir, error) {
	if base == "" {
		base = os.TempDir()
	}
	if err := removeAbandoned(base); err != nil {
		return nil, err
	}
	for {
		d, err := makeDir(base)
		// Another process that starts at this moment may have mistaken ours for an abandoned
		// one.
		if !errors.Is(err, errTaken) {
			return d, err
		}
	}
}

var errTaken = errors.New("scratch: the new directory was taken away")

func makeDir(base string) (*Dir, error) {
	path, err := os.MkdirTemp(base, prefix)
	if err != nil {
		return nil, fmt.Errorf("scratch: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(path, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("scratch: %w", err), os.RemoveAll(path))
	}
	if tryLock(lock) != nil || !inPlace(lock) {
		return nil, errors.Join(errTaken, lock.Close(), os.RemoveAll(path))
	}
	return &Dir{path: path, lock: lock}, nil
}

// inPlace reports whether the file still has its path. A lock on a removed file protects
// nothing.
func inPlace(f *os.File) bool {
	held, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(f.Name())
	return err == nil && os.SameFile(held, there)
}

// Path returns the path of the directory.
func (d *Dir) Path() string { return d.path }

// Remove removes the directory and its content.
func (d *Dir) Remove() error {
	if err := errors.Join(os.RemoveAll(d.path), d.lock.Close()); err != nil {
		return fmt.Errorf("scratch: %w", err)
	}
	return nil
}

// removeAbandoned removes the directories in base whose lock no process holds. A directory
// without a lock is just being made.
func removeAbandoned(base string) error {
	entries, err := os.ReadDir(base)
	if err != nil {
		return fmt.Errorf("scratch: %w", err)
	}
	for _, entry := range entries {
		if !entry.IsDir() || !strings.HasPrefix(entry.Name(), prefix) {
			continue
		}
		path := filepath.Join(base, entry.Name())
		lock, err := os.OpenFile(filepath.Join(path, lockName), os.O_RDWR, 0)
		if err != nil {
			continue // being made, or another user's
		}
		if tryLock(lock) == nil {
			err = os.RemoveAll(path)
		}
		if err := errors.Join(err, lock.Close()); err != nil {
			return fmt.Errorf("scratch: removing what a dead process left: %w", err)
		}
	}
	return nil
}
