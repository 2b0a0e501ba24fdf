//go:build !linux && !darwin && !freebsd

package scratch

import "math"

// Free is how many bytes may still be written to the file system of dir. Where the
// system does not tell, it is the largest number.
func Free(string) (int64, error) { return math.MaxInt64, nil }
