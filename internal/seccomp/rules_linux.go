package seccomp

import (
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// refused are the calls that fail with EPERM, whatever their arguments.
var refused = []string{
	// Who listens is reached from outside: Landlock sees bind, and listen alone takes a
	// port of the kernel's choice.
	"listen", "accept", "accept4",

	// The mode, the owner, the times and the attributes of a file: Landlock sees none of
	// these, so they would change files far outside of a program's folder.
	"chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat",
	"utime", "utimes", "futimesat", "utimensat",
	"setxattr", "lsetxattr", "fsetxattr", "setxattrat", "removexattr", "lremovexattr", "fremovexattr", "removexattrat",

	// Who watches a folder learns the names of files that it may not open.
	"inotify_add_watch", "fanotify_init", "fanotify_mark",

	// Memory, semaphores and queues of System V and POSIX belong to a user, not to a folder.
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

	// The machine itself, of which only root may change anything.
	"kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "reboot", "syslog", "acct",
	"swapon", "swapoff", "quotactl", "quotactl_fd", "iopl", "ioperm", "modify_ldt", "vhangup",
	"sethostname", "setdomainname", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex",
}

// newNamespaces are the flags of clone that make namespaces.
const newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// Requests of ptrace that only a parent and a child who agree can make: by them the
// server holds a program until its limits are set. They open no process's memory.
var ownChild = []uint32{unix.PTRACE_TRACEME, unix.PTRACE_SETOPTIONS, unix.PTRACE_DETACH}

// Requests of ioctl that a descriptor open for reading is enough for: those that change
// a file's flags or number of version, and those that type into a terminal.
var controls = []uint32{
	unix.FS_IOC_SETFLAGS, 0x40046602 /* the same of 32 bits */, 0x40087602 /* FS_IOC_SETVERSION */, 0x401c5820, /* FS_IOC_FSSETXATTR */
	unix.TIOCSTI, 0x541c, /* TIOCLINUX */
}

func rules(o Options) []rule {
	namespaces := []uint32{0}
	if o.OwnPIDs {
		namespaces = append(namespaces, unix.CLONE_NEWUSER|unix.CLONE_NEWPID)
	}
	const sockets = unix.EAFNOSUPPORT // programs expect this of a family that the kernel lacks
	return []rule{
		{refused, []bpf.Instruction{refuse(unix.EPERM)}},
		// Its flags stand in memory, where no filter sees them. The C libraries then take clone.
		{[]string{"clone3"}, []bpf.Instruction{refuse(unix.ENOSYS)}},
		{[]string{"clone"}, allowAfter(unless(0, newNamespaces, namespaces, unix.EPERM))},
		{[]string{"ptrace"}, allowAfter(unless(0, all, ownChild, unix.EPERM))},
		// TCP alone, which Landlock leads to the guard: neither UDP nor multipath TCP, and no
		// socket in the file system, behind which a service may do what the program may not.
		{[]string{"socket"}, allowAfter(
			unless(0, all, []uint32{unix.AF_INET, unix.AF_INET6}, sockets),
			unless(1, ^uint32(unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK), []uint32{unix.SOCK_STREAM}, sockets),
			unless(2, all, []uint32{0, unix.IPPROTO_TCP}, sockets),
		)},
		// One of a pair of datagrams can be connected to somebody else.
		{[]string{"socketpair"}, allowAfter(
			unless(1, ^uint32(unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK), []uint32{unix.SOCK_STREAM, unix.SOCK_SEQPACKET}, sockets),
		)},
		// What is sent with it connects, which Landlock does not see.
		{[]string{"sendto", "sendmmsg"}, allowAfter(unless(3, unix.MSG_FASTOPEN, []uint32{0}, unix.EPERM))},
		{[]string{"sendmsg"}, allowAfter(unless(2, unix.MSG_FASTOPEN, []uint32{0}, unix.EPERM))},
		{[]string{"ioctl"}, refuseControls()},
	}
}

// refuseControls refuses the requests of controls and allows all others.
func refuseControls() []bpf.Instruction {
	verdict := []bpf.Instruction{loadArgument(1)}
	for i, request := range controls {
		verdict = append(verdict, bpf.JumpIf{Cond: bpf.JumpEqual, Val: request, SkipTrue: uint8(len(controls) - i)})
	}
	return append(verdict, allow, refuse(unix.EPERM))
}
