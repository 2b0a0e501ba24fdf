package run_test

import (
	"encoding/binary"
	"testing"

	"github.com/elastic/go-seccomp-bpf/arch"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"github.com/transcriptkit/transcriptkit/internal/run"
)

// filter is a filter on a machine that runs it as the kernel does.
type filter struct {
	system *arch.Info
	vm     *bpf.VM
}

func newFilter(t *testing.T, goarch string, o run.SyscallOptions) filter {
	t.Helper()
	instructions, err := run.SyscallFilter(goarch, o)
	require.NoError(t, err)
	require.Less(t, len(instructions), unix.BPF_MAXINSNS)
	_, err = bpf.Assemble(instructions)
	require.NoError(t, err)
	vm, err := bpf.NewVM(instructions)
	require.NoError(t, err)
	system, err := arch.GetInfo(goarch)
	require.NoError(t, err)
	return filter{system, vm}
}

// answer is the filter's to a call, as a value of SECCOMP_RET. The machine reads words in
// the order of the network.
func (f filter) answer(t *testing.T, on arch.AuditArch, number uint32, arguments ...uint64) uint32 {
	t.Helper()
	data := make([]byte, 64)
	binary.BigEndian.PutUint32(data, number)
	binary.BigEndian.PutUint32(data[4:], uint32(on))
	for i, argument := range arguments {
		binary.BigEndian.PutUint32(data[16+8*i:], uint32(argument))
		binary.BigEndian.PutUint32(data[20+8*i:], uint32(argument>>32))
	}
	answer, err := f.vm.Run(data)
	require.NoError(t, err)
	return uint32(answer)
}

func (f filter) call(t *testing.T, name string, arguments ...uint64) uint32 {
	t.Helper()
	number, ok := f.system.SyscallNames[name]
	require.True(t, ok, name)
	return f.answer(t, f.system.ID, uint32(number), arguments...)
}

const (
	passes   = uint32(unix.SECCOMP_RET_ALLOW)
	refused  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	absent   = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	noFamily = unix.SECCOMP_RET_ERRNO | uint32(unix.EAFNOSUPPORT)
	ends     = uint32(unix.SECCOMP_RET_KILL_PROCESS)
)

// onlyAMD64 are the calls for which arm64 has newer ones alone.
var onlyAMD64 = []string{"chmod", "chown", "lchown", "utime", "utimes", "futimesat", "iopl", "ioperm", "modify_ldt"}

// refusedCalls are refused whatever their arguments.
var refusedCalls = []string{
	"listen", "accept", "accept4",
	"fchmod", "fchmodat", "fchmodat2", "fchown", "fchownat", "utimensat",
	"setxattr", "lsetxattr", "fsetxattr", "setxattrat", "removexattr", "lremovexattr", "fremovexattr", "removexattrat",
	"inotify_add_watch", "fanotify_init", "fanotify_mark",
	"shmget", "shmat", "shmctl", "semget", "semop", "semtimedop", "semctl", "msgget", "msgsnd", "msgrcv", "msgctl",
	"mq_open", "mq_unlink",
	"unshare", "setns", "chroot", "pivot_root", "mount", "umount2", "move_mount", "mount_setattr",
	"open_tree", "open_tree_attr", "fsopen", "fsconfig", "fsmount", "fspick", "open_by_handle_at",
	"process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "pidfd_getfd", "kcmp",
	"add_key", "request_key", "keyctl", "io_uring_setup", "io_uring_enter", "io_uring_register",
	"bpf", "perf_event_open", "userfaultfd",
	"kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "reboot", "syslog", "acct",
	"swapon", "swapoff", "quotactl", "quotactl_fd", "vhangup",
	"sethostname", "setdomainname", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex",
}

// TestFilter runs the filters of both architectures, on either.
func TestFilter(t *testing.T) {
	t.Parallel()
	for _, goarch := range []string{"amd64", "arm64"} {
		t.Run(goarch, func(t *testing.T) {
			t.Parallel()
			f := newFilter(t, goarch, run.SyscallOptions{})
			names := refusedCalls
			if goarch == "amd64" {
				names = append(names[:len(names):len(names)], onlyAMD64...)
			}
			for _, name := range names {
				assert.Equal(t, refused, f.call(t, name), name)
			}
			for _, name := range []string{
				"read", "openat", "execve", "connect", "bind", "mmap", "futex", "prctl", "wait4", "exit_group", "statx", "renameat2", "prlimit64",
				"setsockopt", "recvmsg", "getrandom", "epoll_ctl", "pidfd_open", "seccomp", "set_robust_list", "rseq", "memfd_create",
			} {
				assert.Equal(t, passes, f.call(t, name), name)
			}

			assert.Equal(t, absent, f.call(t, "clone3"))
			assert.Equal(t, passes, f.call(t, "mseal"), "one of the newest that it knows")
			for _, number := range []uint32{469, 471, 5000, 0x3fffffff, 0x40000000, 0x40000000 | 50, 0xffffffff} {
				assert.Equal(t, absent, f.answer(t, f.system.ID, number), "newer than the list, or of x32: %#x", number)
			}
			for _, other := range []*arch.Info{arch.I386, arch.ARM, arch.X86_64, arch.AARCH64} {
				if other != f.system {
					assert.Equal(t, ends, f.answer(t, other.ID, 1), other.Name)
				}
			}
		})
	}
	_, err := run.SyscallFilter("riscv64", run.SyscallOptions{})
	require.ErrorContains(t, err, "no filter for riscv64")
}

// TestArguments: of these calls it depends on what is asked.
func TestArguments(t *testing.T) {
	t.Parallel()
	const high = 1 << 32 // a half that the kernel does not look at
	for _, goarch := range []string{"amd64", "arm64"} {
		f := newFilter(t, goarch, run.SyscallOptions{})
		is := func(want uint32, name string, arguments ...uint64) {
			t.Helper()
			assert.Equal(t, want, f.call(t, name, arguments...), "%s: %s%x", goarch, name, arguments)
		}
		for _, family := range []uint64{unix.AF_INET, unix.AF_INET6} {
			is(passes, "socket", family, unix.SOCK_STREAM, 0)
			is(passes, "socket", family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.IPPROTO_TCP)
			is(noFamily, "socket", family, unix.SOCK_DGRAM, 0)
			is(noFamily, "socket", family, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.IPPROTO_UDP)
			is(noFamily, "socket", family, unix.SOCK_RAW, unix.IPPROTO_ICMP)
			is(noFamily, "socket", family, unix.SOCK_SEQPACKET, unix.IPPROTO_SCTP)
			is(noFamily, "socket", family, unix.SOCK_STREAM, unix.IPPROTO_MPTCP)
			is(noFamily, "socket", high|family, unix.SOCK_DGRAM, 0)
		}
		for family := range uint64(64) {
			if family != unix.AF_INET && family != unix.AF_INET6 {
				is(noFamily, "socket", family, unix.SOCK_STREAM, 0)
				is(noFamily, "socket", high|family, unix.SOCK_STREAM, 0)
			}
		}
		is(passes, "socketpair", unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		is(passes, "socketpair", unix.AF_UNIX, unix.SOCK_SEQPACKET, 0)
		is(noFamily, "socketpair", unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
		for call, flags := range map[string]int{"sendto": 3, "sendmmsg": 3, "sendmsg": 2} {
			arguments := make([]uint64, 6)
			is(passes, call, arguments...)
			arguments[flags] = unix.MSG_NOSIGNAL
			is(passes, call, arguments...)
			arguments[flags] = unix.MSG_NOSIGNAL | unix.MSG_FASTOPEN
			is(refused, call, arguments...)
		}

		is(passes, "clone", uint64(unix.SIGCHLD))
		is(passes, "clone", unix.CLONE_VM|unix.CLONE_VFORK|uint64(unix.SIGCHLD))
		is(passes, "clone", unix.CLONE_VM|unix.CLONE_THREAD|unix.CLONE_SIGHAND|unix.CLONE_FILES|unix.CLONE_FS|unix.CLONE_SETTLS)
		for _, namespace := range []uint64{
			unix.CLONE_NEWUSER, unix.CLONE_NEWPID, unix.CLONE_NEWNET, unix.CLONE_NEWNS, unix.CLONE_NEWIPC, unix.CLONE_NEWUTS, unix.CLONE_NEWCGROUP,
			unix.CLONE_NEWUSER | unix.CLONE_NEWPID,
		} {
			is(refused, "clone", namespace|uint64(unix.SIGCHLD))
		}

		is(passes, "ptrace", unix.PTRACE_TRACEME)
		is(passes, "ptrace", unix.PTRACE_DETACH, 2)
		for _, request := range []uint64{unix.PTRACE_ATTACH, unix.PTRACE_SEIZE, unix.PTRACE_PEEKDATA, unix.PTRACE_POKEDATA, unix.PTRACE_GETREGSET, unix.PTRACE_CONT} {
			is(refused, "ptrace", request, 2)
		}

		is(passes, "ioctl", 0, unix.TCGETS)
		for _, request := range []uint64{unix.FS_IOC_SETFLAGS, 0x40046602, 0x40087602, 0x401c5820, unix.TIOCSTI, 0x541c} {
			is(refused, "ioctl", 0, request)
			is(refused, "ioctl", 0, high|request)
		}

		own := newFilter(t, goarch, run.SyscallOptions{OwnPIDs: true})
		both := uint64(unix.CLONE_NEWUSER | unix.CLONE_NEWPID)
		assert.Equal(t, passes, own.call(t, "clone", both|uint64(unix.SIGCHLD)))
		for _, more := range []uint64{unix.CLONE_NEWUSER, unix.CLONE_NEWPID, both | unix.CLONE_NEWNET, both | unix.CLONE_NEWNS} {
			assert.Equal(t, refused, own.call(t, "clone", more))
		}
	}
}
