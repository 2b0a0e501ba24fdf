// Package localservice lets the programs of one user find the services that run on this machine.
// Each service has a file with its address and a key, which only the user can read. A lock next
// to the file tells whether the service runs: the system ends the lock with the process.
package localservice

import (
	"fmt"
	"os"
	"path/filepath"
)

// Folder returns the user's folder for the state of the programs, according to the XDG base
// directories. Folder makes the folder if it is missing, for this user alone. Every error names
// its remedy.
func Folder() (string, error) {
	base := os.Getenv("XDG_STATE_HOME") //nolint:forbidigo // both programs that find a service need it
	if !filepath.IsAbs(base) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("there is no folder for the state: %w: name a folder by XDG_STATE_HOME", err)
		}
		base = filepath.Join(home, ".local", "state")
	}
	folder := filepath.Join(base, "transcriptd")
	if err := own(folder); err != nil {
		return "", fmt.Errorf("the folder for the state cannot be used: %w: name another folder by XDG_STATE_HOME", err)
	}
	return folder, nil
}

// own makes the folder, and closes it to other users.
func own(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	st, err := os.Stat(folder)
	if err != nil || st.Mode().Perm()&0o077 == 0 {
		return err
	}
	return os.Chmod(folder, 0o700) //nolint:gosec // a folder needs the right to enter it
}
