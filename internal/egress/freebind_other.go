//go:build !linux

package egress

import "syscall"

// freebind does nothing: on this system an interface must have the address that a socket leaves
// from.
func freebind(syscall.RawConn) error { return nil }
