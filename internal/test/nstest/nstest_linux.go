// Package nstest runs a test in namespaces of its own: with a network in which the test owns all
// addresses, with files of its own in place of the system's, or with a small file system, which is
// soon full.
//
//	func TestPrefix(t *testing.T) {
//		if !nstest.Run(t, nstest.Network) {
//			return // it has run in another process
//		}
package nstest

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/stretchr/testify/require"
)

// Kind is a kind of namespace. Kinds can be combined by adding them.
type Kind uintptr

// The kinds of namespaces.
const (
	Network Kind = unix.CLONE_NEWNET // its only interface is a loopback interface, which is up
	Files   Kind = unix.CLONE_NEWNS  // see [Replace]
)

const inside = "TRANSCRIPTKIT_TEST_NAMESPACE"

// Run reports whether the test runs in namespaces of its own. If it does not, Run runs the test
// there in another process, and the caller returns. If the system forbids
// namespaces, the test is skipped, except with CI=true.
func Run(t *testing.T, kinds Kind) bool {
	t.Helper()
	if os.Getenv(inside) == t.Name() { //nolint:forbidigo // how a test tells itself where it is
		if kinds&Network != 0 {
			setLoopbackUp(t)
		}
		return true
	}
	again(t, uintptr(kinds))
	return false
}

// again runs the test in namespaces in which its user owns everything, in another process.
func again(t *testing.T, kinds uintptr) {
	t.Helper()
	pattern := "^" + strings.ReplaceAll(t.Name(), "/", "$/^") + "$"
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run="+pattern, "-test.v", "-test.count=1", "-test.timeout=60m")
	cmd.Env = append(os.Environ(), inside+"="+t.Name()) //nolint:forbidigo // that of the test itself
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | kinds,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		Pdeathsig:   syscall.SIGKILL,
	}
	out, err := cmd.CombinedOutput()
	if cmd.Process == nil && os.Getenv("CI") != "true" { //nolint:forbidigo // where namespaces must be there
		t.Skipf("the system forbids namespaces: %v", err)
	}
	require.NoError(t, err, "%s", out)
	t.Logf("%s", out)
	require.Contains(t, string(out), "--- PASS: "+t.Name())
}

// Replace replaces the content of a system file with a text, for a test with its own
// Files.
func Replace(t *testing.T, path, text string) {
	t.Helper()
	own := filepath.Join(t.TempDir(), filepath.Base(path))
	require.NoError(t, os.WriteFile(own, []byte(text), 0o600))
	require.NoError(t, unix.Mount(own, path, "", unix.MS_BIND, ""))
}

// setLoopbackUp sets the loopback interface of the namespace up.
func setLoopbackUp(t *testing.T) {
	t.Helper()
	up := make([]byte, unix.SizeofIfInfomsg)
	binary.NativeEndian.PutUint32(up[4:], 1) // the index of the loopback interface
	binary.NativeEndian.PutUint32(up[8:], unix.IFF_UP)
	binary.NativeEndian.PutUint32(up[12:], unix.IFF_UP) // what changes
	require.NoError(t, netlink(unix.RTM_NEWLINK, 0, up))
}

// OwnAll makes the machine answer on every address of IPv4 and IPv6, for a test with a Network
// of its own: ip route add local 0/0 dev lo.
func OwnAll(t *testing.T) {
	t.Helper()
	for _, family := range []byte{unix.AF_INET, unix.AF_INET6} {
		require.NoError(t, AddLocal(family, nil, 0))
	}
}

// AddLocal makes the machine answer on all addresses of a prefix: ip route add local … dev lo.
func AddLocal(family byte, prefix []byte, bits byte) error {
	route := []byte{family, bits, 0, 0, unix.RT_TABLE_LOCAL, unix.RTPROT_BOOT, unix.RT_SCOPE_HOST, unix.RTN_LOCAL, 0, 0, 0, 0}
	route = append(route, attribute(unix.RTA_OIF, binary.NativeEndian.AppendUint32(nil, 1))...)
	if bits > 0 {
		route = append(route, attribute(unix.RTA_DST, prefix)...)
	}
	return netlink(unix.RTM_NEWROUTE, unix.NLM_F_CREATE, route)
}

func attribute(kind uint16, value []byte) []byte {
	head := binary.NativeEndian.AppendUint16(nil, uint16(4+len(value)))
	return append(binary.NativeEndian.AppendUint16(head, kind), value...)
}

// netlink asks the kernel to change the network, and returns the kernel's answer.
func netlink(kind, flags uint16, body []byte) error {
	s, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err != nil {
		return err
	}
	defer unix.Close(s)
	message := binary.NativeEndian.AppendUint32(nil, uint32(unix.NLMSG_HDRLEN+len(body)))
	message = binary.NativeEndian.AppendUint16(message, kind)
	message = binary.NativeEndian.AppendUint16(message, flags|unix.NLM_F_REQUEST|unix.NLM_F_ACK)
	message = append(message, make([]byte, 8)...)
	if err := unix.Sendto(s, append(message, body...), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return err
	}
	answer := make([]byte, 4096)
	n, _, err := unix.Recvfrom(s, answer, 0)
	if err != nil || n < unix.NLMSG_HDRLEN+4 {
		return err
	}
	if code := int32(binary.NativeEndian.Uint32(answer[unix.NLMSG_HDRLEN:])); code != 0 {
		return syscall.Errno(-code)
	}
	return nil
}
