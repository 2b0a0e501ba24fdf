package run

import (
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// refused are the calls that fail with EPERM for all arguments.
var refused = []string{
	// A listening program is reachable from outside. Landlock covers bind, but listen without
	// bind takes a port of the kernel's choice.
	"listen", "accept", "accept4",

	// The mode, the owner, the times and the attributes of a file: Landlock covers none of
	// them, so a program could change files far outside of its folder.
	"chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat",
	"utime", "utimes", "futimesat", "utimensat",
	"setxattr", "lsetxattr", "fsetxattr", "setxattrat", "removexattr", "lremovexattr", "fremovexattr", "removexattrat",

	// A program that watches a folder learns the names of files that it may not open.
	"inotify_add_watch", "fanotify_init", "fanotify_mark",

	// Shared memory, semaphores and queues of System V and POSIX belong to a user, not to a
	// folder.
	"shmget", "shmat", "shmctl", "semget", "semop", "semtimedop", "semctl", "msgget", "msgsnd", "msgrcv", "msgctl",
	"mq_open", "mq_unlink",

	// Namespaces and mounts. Clone has a rule of its own.
	"unshare", "setns", "chroot", "pivot_root", "mount", "umount2", "move_mount", "mount_setattr",
	"open_tree", "open_tree_attr", "fsopen", "fsconfig", "fsmount", "fspick", "open_by_handle_at",

	// Other processes. Ptrace has a rule of its own.
	"process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "pidfd_getfd", "kcmp",

	// Parts of the kernel with many faults in the past.
	"add_key", "request_key", "keyctl", "io_uring_setup", "io_uring_enter", "io_uring_register",
	"bpf", "perf_event_open", "userfaultfd",

	// The machine itself, which only root may change.
	"kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "reboot", "syslog", "acct",
	"swapon", "swapoff", "quotactl", "quotactl_fd", "iopl", "ioperm", "modify_ldt", "vhangup",
	"sethostname", "setdomainname", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex",
}

// newNamespaces are the flags of clone that make namespaces.
const newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// ownChild are the requests of ptrace that only an agreeing parent and child can make: with
// them the server stops a program until its limits are set. They do not open the memory of a
// process.
var ownChild = []uint32{unix.PTRACE_TRACEME, unix.PTRACE_SETOPTIONS, unix.PTRACE_DETACH}

// controls are requests of ioctl that need only a descriptor open for reading: they change a
// file's flags or version number, or type into a terminal.
var controls = []uint32{
	unix.FS_IOC_SETFLAGS, 0x40046602 /* the same of 32 bits */, 0x40087602 /* FS_IOC_SETVERSION */, 0x401c5820, /* FS_IOC_FSSETXATTR */
	unix.TIOCSTI, 0x541c, /* TIOCLINUX */
}

func rules(o SyscallOptions) []rule {
	namespaces := []uint32{0}
	if o.OwnPIDs {
		namespaces = append(namespaces, unix.CLONE_NEWUSER|unix.CLONE_NEWPID)
	}
	const sockets = unix.EAFNOSUPPORT // the usual error for a family that the kernel lacks
	return []rule{
		{refused, []bpf.Instruction{refuse(unix.EPERM)}},
		// Its flags are in memory, where no filter can read them. With ENOSYS the C libraries
		// use clone.
		{[]string{"clone3"}, []bpf.Instruction{refuse(unix.ENOSYS)}},
		{[]string{"clone"}, allowAfter(unless(0, newNamespaces, namespaces, unix.EPERM))},
		{[]string{"ptrace"}, allowAfter(unless(0, all, ownChild, unix.EPERM))},
		// Permit only TCP, which Landlock leads to the guard. UDP, multipath TCP, and sockets
		// in the file system could reach services that the program may not use.
		{[]string{"socket"}, allowAfter(
			unless(0, all, []uint32{unix.AF_INET, unix.AF_INET6}, sockets),
			unless(1, ^uint32(unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK), []uint32{unix.SOCK_STREAM}, sockets),
			unless(2, all, []uint32{0, unix.IPPROTO_TCP}, sockets),
		)},
		// One of a pair of datagram sockets could be connected to another process.
		{[]string{"socketpair"}, allowAfter(
			unless(1, ^uint32(unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK), []uint32{unix.SOCK_STREAM, unix.SOCK_SEQPACKET}, sockets),
		)},
		// Sending with this flag connects, which Landlock does not cover.
		{[]string{"sendto", "sendmmsg"}, allowAfter(unless(3, unix.MSG_FASTOPEN, []uint32{0}, unix.EPERM))},
		{[]string{"sendmsg"}, allowAfter(unless(2, unix.MSG_FASTOPEN, []uint32{0}, unix.EPERM))},
		{[]string{"ioctl"}, refuseControls()},
	}
}

// refuseControls refuses the requests in controls and permits all others.
func refuseControls() []bpf.Instruction {
	verdict := []bpf.Instruction{loadArgument(1)}
	for i, request := range controls {
		verdict = append(verdict, bpf.JumpIf{Cond: bpf.JumpEqual, Val: request, SkipTrue: uint8(len(controls) - i)})
	}
	return append(verdict, allow, refuse(unix.EPERM))
}
