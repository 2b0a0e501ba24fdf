//go:build !linux && !darwin && !freebsd

package scratch

import "math"

// Free returns how many bytes may still be written to the file system of dir. If the system
// does not tell, it returns the largest number.
func Free(string) (int64, error) { return math.MaxInt64, nil }

// FreeFiles returns how many files may still be made on the file system of dir. If the system does
// not tell, it returns the largest number.
func FreeFiles(string) (int64, error) { return math.MaxInt64, nil }
