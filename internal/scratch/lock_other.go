//go:build !unix

package scratch

import (
	"errors"
	"os"
)

// tryLock knows no lock here that dies with the process. An own directory needs
// none; another's, which is not empty, is left alone.
func tryLock(f *os.File) error {
	if st, err := f.Stat(); err != nil || st.Size() > 0 {
		return errors.New("in use")
	}
	_, err := f.WriteString("in use\n")
	return err
}
