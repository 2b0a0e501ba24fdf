package transcribe

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// heldOpen reports whether a program has a file open for writing. The kernel refuses a lease for
// such a file. The kernel knows no more than this machine's programs, and gives leases only on
// files of one's own, so that false means "nobody that is known".
func heldOpen(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false // the sending tells the error
	}
	defer f.Close() //nolint:errcheck // it is only read; Close ends the lease too
	_, err = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	return errors.Is(err, unix.EAGAIN)
}
