//go:build unix

package scratch

import (
	"os"

	"golang.org/x/sys/unix"
)

// Writable returns an error unless this process may write to a file, or make files in a folder.
// It writes nothing.
func Writable(path string) error {
	if err := unix.Access(path, unix.W_OK); err != nil {
		return &os.PathError{Op: "write to", Path: path, Err: err}
	}
	return nil
}
