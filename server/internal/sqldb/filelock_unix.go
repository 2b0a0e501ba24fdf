//go:build unix

package sqldb

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile takes an exclusive lock on the file, which ends with the process, or returns
// ErrServed. The file stays, because removing it would let two processes hold locks on
// two files of the same name.
func lockFile(path string) (release func() error, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("store: lock file: %w", err)
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		return func() error { return unlock(f) }, nil
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = ErrServed
	} else {
		err = fmt.Errorf("store: lock %s: %w", path, err)
	}
	return nil, errors.Join(err, f.Close())
}

// unlock releases the lock and closes the file. Closing alone would not release the lock
// while a program that this process starts at the moment still has a copy of the file: the
// copy ends only when the program's own code begins.
func unlock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_UN)
	if err != nil {
		err = fmt.Errorf("store: unlock %s: %w", f.Name(), err)
	}
	return errors.Join(err, f.Close())
}
