//go:build !unix

package scratch

import "os"

// Writable returns an error if there is no such file or folder. This system does not tell in
// advance whether it is writable.
func Writable(path string) error {
	_, err := os.Stat(path)
	return err
}
