//go:build unix

package scratch

import (
	"os"

	"golang.org/x/sys/unix"
)

// tryLock takes the lock, which dies with the process. It returns an error if another process
// holds the lock.
func tryLock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
