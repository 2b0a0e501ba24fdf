package run_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/server/engine"
)

// doorsOutside makes the test binary a program that tries every door; it names the folder
// of what is outside.
var doorsOutside = asProgram("RUN_TEST_DOORS_OUTSIDE", tryDoors)

// door is something that a program might do beyond its folder and its way to the network.
type door struct {
	name string
	try  func(outside string) error
}

// call makes a system call.
func call(number uintptr, arguments ...uintptr) error {
	var a [6]uintptr
	copy(a[:], arguments)
	if _, _, errno := unix.Syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5]); errno != 0 {
		return errno
	}
	return nil
}

// socket tries to get a socket.
func socket(family, kind, protocol int) func(string) error {
	return func(string) error {
		fd, err := unix.Socket(family, kind, protocol)
		if err == nil {
			err = unix.Close(fd)
		}
		return err
	}
}

// named is the file that the command names: the program may read it, and nothing more.
func named(outside string) string { return filepath.Join(outside, "named") }

// withNamed does something with a descriptor that is open for reading.
func withNamed(do func(fd int) error) func(string) error {
	return func(outside string) error {
		f, err := os.Open(named(outside))
		if err != nil {
			return fmt.Errorf("not even read: %w", err)
		}
		defer f.Close() //nolint:errcheck // nothing was written to it
		return do(int(f.Fd()))
	}
}

func withPath(do func(path string) error) func(string) error {
	return func(outside string) error { return do(filepath.Join(outside, "kept")) }
}

// doors are tried one after the other.
var doors = []door{
	{"chmod", withPath(func(path string) error { return unix.Chmod(path, 0) })},
	{"chmod of a descriptor", withNamed(func(fd int) error { return unix.Fchmod(fd, 0) })},
	{"chown", withPath(func(path string) error { return unix.Lchown(path, os.Getuid(), os.Getgid()) })},
	{"chown of a descriptor", withNamed(func(fd int) error { return unix.Fchown(fd, os.Getuid(), os.Getgid()) })},
	{"utime", withPath(func(path string) error { return os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0)) })},
	{"utime of a descriptor", withNamed(func(fd int) error {
		return call(unix.SYS_UTIMENSAT, uintptr(fd), 0, uintptr(unsafe.Pointer(&[2]unix.Timespec{})), 0)
	})},
	{"setxattr", withPath(func(path string) error { return unix.Setxattr(path, "user.door", []byte("x"), 0) })},
	{"setxattr of a descriptor", withNamed(func(fd int) error { return unix.Fsetxattr(fd, "user.door", []byte("x"), 0) })},
	{"flags of a descriptor", withNamed(func(fd int) error { return unix.IoctlSetPointerInt(fd, unix.FS_IOC_SETFLAGS, 0) })},
	{"watch a folder", func(outside string) error {
		fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
		if err != nil {
			return err
		}
		_, err = unix.InotifyAddWatch(fd, outside, unix.IN_ALL_EVENTS)
		return err
	}},
	{"listen", func(outside string) error { // without bind: the kernel chooses a port of all addresses
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		return unix.Listen(fd, 1)
	}},
	{"send while connecting", func(outside string) error { // TCP Fast Open
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		return unix.Sendto(fd, []byte("leak"), unix.MSG_FASTOPEN, addressOf(outside))
	}},
	{"UDP", func(outside string) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		return unix.Sendto(fd, []byte("leak"), 0, addressOf(outside))
	}},
	{"UDP of IPv6", socket(unix.AF_INET6, unix.SOCK_DGRAM, 0)},
	{"multipath TCP", func(outside string) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP)
		if err != nil {
			return err
		}
		return unix.Connect(fd, addressOf(outside))
	}},
	{"raw IP", socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP)},
	{"netlink", socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE)},
	{"virtual machine", socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0)},
	{"kernel's ciphers", socket(unix.AF_ALG, unix.SOCK_SEQPACKET, 0)},
	{"packets", socket(unix.AF_PACKET, unix.SOCK_RAW, 0)},
	{"socket in a folder", func(outside string) error {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		return unix.Connect(fd, &unix.SockaddrUnix{Name: filepath.Join(outside, "service.sock")})
	}},
	{"one of a pair", func(string) error {
		_, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
		return err
	}},
	{"shared memory", func(string) error { return call(unix.SYS_SHMGET, 0x7472, 1, unix.IPC_CREAT|0o600) }},
	{"semaphores", func(string) error { return call(unix.SYS_SEMGET, 0x7472, 1, unix.IPC_CREAT|0o600) }},
	{"message queue", func(string) error { return call(unix.SYS_MSGGET, 0x7472, unix.IPC_CREAT|0o600) }},
	{"queue by name", func(string) error {
		name := []byte("run-test\x00")
		return call(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(&name[0])), unix.O_RDWR|unix.O_CREAT, 0o600, 0)
	}},
	{"memory of a process", func(string) error {
		var b byte
		local := []unix.Iovec{{Base: &b, Len: 1}}
		_, err := unix.ProcessVMReadv(os.Getpid(), local, []unix.RemoteIovec{{Base: uintptr(unsafe.Pointer(&b)), Len: 1}}, 0)
		return err
	}},
	{"descriptor of a process", func(string) error {
		fd, err := unix.PidfdOpen(os.Getpid(), 0)
		if err != nil {
			return err
		}
		_, err = unix.PidfdGetfd(fd, 1, 0)
		return err
	}},
	{"ptrace", func(string) error { // of a child, which anybody may
		cmd := exec.Command("sleep", "10")
		if err := cmd.Start(); err != nil {
			return fmt.Errorf("no child: %w", err)
		}
		defer func() { _, _ = cmd.Process.Kill(), cmd.Wait() }() // it has served
		return call(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(cmd.Process.Pid))
	}},
	{"namespaces", func(string) error { return call(unix.SYS_UNSHARE, unix.CLONE_NEWNET|unix.CLONE_NEWNS) }},
	{"namespaces of a child", func(string) error {
		cmd := exec.Command("true")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNET}
		return cmd.Run()
	}},
	{"clone3", func(string) error { return call(unix.SYS_CLONE3, 0, 0) }},
	{"mount", func(outside string) error { return unix.Mount("none", outside, "tmpfs", 0, "") }},
	{"tree", func(outside string) error { return call(unix.SYS_OPEN_TREE, ^uintptr(99), 0, 0) }},
	{"file by handle", func(outside string) error { return call(unix.SYS_OPEN_BY_HANDLE_AT, ^uintptr(99), 0, 0) }},
	{"keyring", func(string) error {
		_, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, true)
		return err
	}},
	{"io_uring", func(string) error { return call(unix.SYS_IO_URING_SETUP, 1, 0) }},
	{"bpf", func(string) error { return call(unix.SYS_BPF, 0, 0, 0) }},
	{"performance events", func(string) error { return call(unix.SYS_PERF_EVENT_OPEN, 0, 0, 0, 0, 0) }},
	{"page faults", func(string) error { return call(unix.SYS_USERFAULTFD, unix.O_CLOEXEC) }},
	{"call of another ABI", func(string) error { return call(0x40000000 | unix.SYS_GETPID) }},
	{"call of the future", func(string) error { return call(5000) }},
}

// answers are what doors say; all others say "operation not permitted".
var answers = map[error][]string{
	unix.EAFNOSUPPORT: {
		"UDP", "UDP of IPv6", "multipath TCP", "raw IP", "netlink", "virtual machine", "kernel's ciphers", "packets",
		"socket in a folder", "one of a pair",
	},
	unix.ENOSYS: {"clone3", "call of another ABI", "call of the future"},
}

// addressOf is the address of what listens outside.
func addressOf(outside string) *unix.SockaddrInet4 {
	port, err := os.ReadFile(filepath.Join(outside, "named"))
	if err != nil {
		panic(err) // the command names this file
	}
	address := &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}
	if _, err := fmt.Sscan(string(port), &address.Port); err != nil {
		panic(err)
	}
	return address
}

// tryDoors is the program.
func tryDoors(outside string) {
	for _, d := range doors {
		err := d.try(outside)
		var errno unix.Errno
		switch {
		case err == nil:
			fmt.Printf("%s: open\n", d.name) //nolint:forbidigo // a program
		case errors.As(err, &errno):
			fmt.Printf("%s: %s\n", d.name, errno) //nolint:forbidigo // a program
		default:
			fmt.Printf("%s: %v\n", d.name, err) //nolint:forbidigo // a program
		}
	}
}

// TestEveryDoor has a program try what Landlock does not see. Nothing of it is done, with
// a way to the network or without, and with Landlock or without.
func TestEveryDoor(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	var reached atomic.Int64
	port := listenOutside(t, outside, &reached)
	past := time.Unix(1e9, 0)
	for name, text := range map[string]string{"kept": "keys", "named": fmt.Sprint(port)} {
		path := filepath.Join(outside, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o640))
		require.NoError(t, os.Chtimes(path, past, past))
	}
	want := map[string]string{}
	for _, d := range doors {
		want[d.name] = unix.EPERM.Error()
	}
	for err, names := range answers {
		for _, name := range names {
			want[name] = err.Error()
		}
	}
	binary, err := os.Executable()
	require.NoError(t, err)
	for _, without := range []bool{false, true} {
		r, _ := newRunner(t, run.Config{Guard: newGuard(t, egress.Config{}), WithoutLandlock: without, Env: []string{doorsOutside + "=" + outside}})
		needsSeccomp(t, r)
		for _, network := range []*engine.Network{nil, {Job: "job"}} {
			exit, err := r.Run(t.Context(), engine.Command{Program: binary, Reads: []string{named(outside)}, Network: network})
			require.NoError(t, err)
			got := map[string]string{}
			for line := range strings.Lines(string(exit.Stdout)) {
				name, answer, _ := strings.Cut(strings.TrimSpace(line), ": ")
				got[name] = answer
			}
			assert.Equal(t, want, got, "without Landlock: %t: %s", without, exit.Stderr)
		}
	}
	for _, name := range []string{"kept", "named"} {
		info, err := os.Stat(filepath.Join(outside, name))
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o640), info.Mode(), name)
		assert.True(t, past.Equal(info.ModTime()), name)
	}
	assert.Zero(t, reached.Load(), "connections and packets")
}

// listenOutside listens at one port by TCP and UDP, and at a socket in the folder, and
// counts what arrives.
func listenOutside(t *testing.T, dir string, reached *atomic.Int64) (port int) {
	t.Helper()
	tcp, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	port = tcp.Addr().(*net.TCPAddr).Port
	udp, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
	require.NoError(t, err)
	inFolder, err := net.Listen("unix", filepath.Join(dir, "service.sock"))
	require.NoError(t, err)
	done := make(chan struct{}, 3)
	for _, l := range []net.Listener{tcp, inFolder} {
		go func() {
			defer func() { done <- struct{}{} }()
			for {
				conn, err := l.Accept()
				if err != nil {
					return // closed
				}
				reached.Add(1)
				_ = conn.Close() // it has been counted
			}
		}()
	}
	go func() {
		defer func() { done <- struct{}{} }()
		for {
			if _, _, err := udp.ReadFrom(make([]byte, 16)); err != nil {
				return // closed
			}
			reached.Add(1)
		}
	}()
	t.Cleanup(func() {
		for _, c := range []io.Closer{tcp, inFolder, udp} {
			assert.NoError(t, c.Close())
		}
		for range 3 {
			<-done
		}
	})
	return port
}

// needsSeccomp skips a test on a kernel without it.
func needsSeccomp(t *testing.T, r *run.Runner) {
	t.Helper()
	if err := r.Seccomp(); err != nil && os.Getenv("CI") == "" {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
}

// TestCallsOfAnotherArchitecture: a program of 64 bits that makes a call of 32 bits, whose
// numbers mean other things, is ended.
func TestCallsOfAnotherArchitecture(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" {
		t.Skip("it is written in the code of amd64")
	}
	r, _ := newRunner(t, run.Config{})
	needsSeccomp(t, r)
	const try = `
import ctypes, mmap
code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(b'\xb8\x14\x00\x00\x00\xcd\x80\xc3') # mov eax, 20 (getpid); int 0x80; ret
print('before', flush=True)
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
print('after')
`
	c := python(try)
	var out strings.Builder
	c.Stdout = &out
	exit, err := r.Run(t.Context(), c)
	require.NoError(t, err)
	assert.Equal(t, "before\n", out.String(), "%s", exit.Stderr)
	assert.Equal(t, -1, exit.Code)
}
