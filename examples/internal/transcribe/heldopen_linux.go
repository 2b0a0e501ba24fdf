package transcribe

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// heldOpen reports whether a program has a file open for writing. The kernel refuses a lease for
// such a file. The kernel sees only the programs of this machine, and gives leases only on the
// caller's own files. In other cases the answer is false.
func heldOpen(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false // the sending tells the error
	}
	defer f.Close() //nolint:errcheck // it is only read; Close ends the lease too
	_, err = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	return errors.Is(err, unix.EAGAIN)
}
