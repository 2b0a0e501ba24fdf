//go:build linux || darwin || freebsd

package scratch

import (
	"fmt"
	"math"

	"golang.org/x/sys/unix"
)

// Free returns how many bytes may still be written to the file system of dir. If the system
// does not tell, it returns the largest number.
func Free(dir string) (int64, error) {
	fs, err := look(dir)
	if err != nil || fs.Blocks == 0 { // a file system without a count of blocks
		return math.MaxInt64, err
	}
	return int64(fs.Bavail) * int64(fs.Bsize), nil //nolint:unconvert // their types differ between systems
}

// FreeFiles returns how many files may still be made on the file system of dir. If the system does
// not tell, it returns the largest number.
func FreeFiles(dir string) (int64, error) {
	fs, err := look(dir)
	if err != nil || fs.Files == 0 { // a file system that makes inodes as it needs them
		return math.MaxInt64, err
	}
	return int64(fs.Ffree), nil //nolint:unconvert,nolintlint // as above
}

func look(dir string) (fs unix.Statfs_t, err error) {
	if err := unix.Statfs(dir, &fs); err != nil {
		return fs, fmt.Errorf("scratch: free room of %s: %w", dir, err)
	}
	return fs, nil
}
