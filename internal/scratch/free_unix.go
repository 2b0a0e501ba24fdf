//go:build linux || darwin || freebsd

package scratch

import (
	"fmt"
	"math"

	"golang.org/x/sys/unix"
)

// Free is how many bytes may still be written to the file system of dir. Where the
// system does not tell, it is the largest number.
func Free(dir string) (int64, error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return 0, fmt.Errorf("scratch: free room of %s: %w", dir, err)
	}
	if fs.Blocks == 0 {
		return math.MaxInt64, nil // a file system that does not count
	}
	return int64(fs.Bavail) * int64(fs.Bsize), nil //nolint:unconvert // their types differ between systems
}
