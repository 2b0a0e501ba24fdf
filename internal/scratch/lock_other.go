//go:build !unix

package scratch

import (
	"errors"
	"os"
)

// tryLock has no lock here that dies with the process. A new directory needs none, and the
// directory of another process, whose lock file is not empty, is not removed.
func tryLock(f *os.File) error {
	if st, err := f.Stat(); err != nil || st.Size() > 0 {
		return errors.New("in use")
	}
	_, err := f.WriteString("in use\n")
	return err
}
