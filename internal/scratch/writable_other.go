//go:build !unix

package scratch

import "os"

// Writable returns an error where there is no such file or folder: whether it may be
// written to, this system does not tell beforehand.
func Writable(path string) error {
	_, err := os.Stat(path)
	return err
}
