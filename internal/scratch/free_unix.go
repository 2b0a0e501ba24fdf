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
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return 0, fmt.Errorf("scratch: free room of %s: %w", dir, err)
	}
	if fs.Blocks == 0 {
		return math.MaxInt64, nil // a file system without a count of blocks
	}
	return int64(fs.Bavail) * int64(fs.Bsize), nil //nolint:unconvert // their types differ between systems
}
