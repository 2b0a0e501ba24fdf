package run

import (
	"errors"
	"fmt"
	"math/bits"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// landlock lists the restrictions that the kernel can enforce, as bits of its interface; the
// zero value means none. Each new kernel supports more of them.
type landlock struct{ files, network, scopes uint64 }

// Rights over files.
const (
	toRead = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	// All operations in a folder, except making and controlling devices.
	toWrite = toRead | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_REFER |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SYM |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX
	toMakeDevices = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
	toControl     = unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	// The rights among these that apply to a single file.
	ofFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE
)

// Rights over the network, and over other processes.
const (
	overTCP = unix.LANDLOCK_ACCESS_NET_CONNECT_TCP | unix.LANDLOCK_ACCESS_NET_BIND_TCP
	overUDP = unix.LANDLOCK_ACCESS_NET_CONNECT_SEND_UDP | unix.LANDLOCK_ACCESS_NET_BIND_UDP
	scopes  = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
)

// findLandlock asks the kernel about each bit: the kernel refuses unknown bits.
func findLandlock() landlock {
	var l landlock
	each(toWrite|toMakeDevices|toControl, func(bit uint64) {
		if knows(unix.LandlockRulesetAttr{Handled_access_fs: bit}) {
			l.files |= bit
		}
	})
	each(overTCP|overUDP, func(bit uint64) {
		if knows(unix.LandlockRulesetAttr{Handled_access_net: bit}) {
			l.network |= bit
		}
	})
	each(scopes, func(bit uint64) {
		if knows(unix.LandlockRulesetAttr{Scoped: bit}) {
			l.scopes |= bit
		}
	})
	if !signalsItself() {
		l.scopes &^= unix.LANDLOCK_SCOPE_SIGNAL
	}
	return l
}

func each(mask uint64, do func(bit uint64)) {
	for ; mask != 0; mask &= mask - 1 {
		do(1 << bits.TrailingZeros64(mask))
	}
}

func knows(attr unix.LandlockRulesetAttr) bool {
	fd, err := newRuleset(attr)
	if err != nil {
		return false
	}
	_ = unix.Close(fd) // nothing was written to it
	return true
}

// signalsItself reports whether a restricted thread may still signal the other threads of its
// process, as Go's scheduler does. The first kernels with this bit forbade that.
func signalsItself() bool {
	const mended = 1 << 1 // the number of this fault among the errata
	errata, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_ERRATA)
	return errno == 0 && errata&mended != 0
}

func newRuleset(attr unix.LandlockRulesetAttr) (int, error) {
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return -1, errno
	}
	return int(fd), nil
}

// holdsNetwork reports whether the kernel keeps programs from connecting elsewhere.
func (l landlock) holdsNetwork() bool { return l.network&overTCP == overTCP }

// restrict permanently restricts the calling thread, and everything that it starts. It
// forbids all access except to the named paths and port. The thread must have set
// no_new_privs.
func (l landlock) restrict(may access) error {
	if l.files == 0 {
		return nil
	}
	rules, err := newRuleset(unix.LandlockRulesetAttr{
		Handled_access_fs: l.files, Handled_access_net: l.network, Scoped: l.scopes,
	})
	if err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	defer func() { _ = unix.Close(rules) }() // the restriction remains after the descriptor is closed
	for _, path := range may.read {
		err = errors.Join(err, l.allow(rules, path, toRead))
	}
	for _, path := range may.write {
		err = errors.Join(err, l.allow(rules, path, toWrite))
	}
	if may.port != 0 && l.holdsNetwork() {
		err = errors.Join(err, allowPort(rules, may.port))
	}
	if err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(rules), 0, 0); errno != 0 {
		return fmt.Errorf("landlock: %w", errno)
	}
	return nil
}

// allow adds a rule for a file, or for a folder and its content. A missing or unreachable path
// needs no rule: the program gets an error anyway.
func (l landlock) allow(rules int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil //nolint:nilerr // see above
	}
	defer func() { _ = unix.Close(fd) }() // nothing was written to it
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return &os.PathError{Op: "stat", Path: path, Err: err}
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
	case unix.S_IFCHR:
		if rights == toWrite {
			rights |= toControl
		}
		rights &= ofFile | toControl
	default:
		rights &= ofFile
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights & l.files, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(rules), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return &os.PathError{Op: "allow", Path: path, Err: errno}
	}
	return nil
}

// allowPort adds a rule for connections to a port on any address.
func allowPort(rules int, port uint16) error {
	rule := struct{ access, port uint64 }{unix.LANDLOCK_ACCESS_NET_CONNECT_TCP, uint64(port)}
	const rulePort = 2 // LANDLOCK_RULE_NET_PORT
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(rules), rulePort, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("port %d: %w", port, errno)
	}
	return nil
}
