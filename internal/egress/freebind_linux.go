package egress

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// freebind lets a socket leave from an address that no interface has.
func freebind(raw syscall.RawConn) error {
	var failure error
	err := raw.Control(func(fd uintptr) {
		failure = os.NewSyscallError("setsockopt", unix.SetsockoptInt(int(fd), unix.IPPROTO_IPV6, unix.IPV6_FREEBIND, 1))
	})
	if err != nil {
		return err
	}
	return failure
}
