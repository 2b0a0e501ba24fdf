package main

import (
	"os"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/transcriptkit/transcriptkit/internal/test/nstest" // a small file system
)

// withoutLandlock makes the test binary, as the program, one on a kernel that refuses
// Landlock, as the profiles of some containers do.
const withoutLandlock = "TRANSCRIPTD_TEST_WITHOUT_LANDLOCK"

// withoutSeccomp makes it one on a kernel without seccomp, in the same way.
const withoutSeccomp = "TRANSCRIPTD_TEST_WITHOUT_SECCOMP"

// refuseCall lets the kernel answer ENOSYS to one system call of this process, and of all
// that it starts.
func refuseCall(number uint32) error {
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // the number of the call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: number, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	const everyThread = 1
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, everyThread, uintptr(unsafe.Pointer(&program))); errno != 0 {
		return errno
	}
	return nil
}

func prepareProgram() {
	for variable, number := range map[string]uint32{
		withoutLandlock: unix.SYS_LANDLOCK_CREATE_RULESET, withoutSeccomp: unix.SYS_SECCOMP,
	} {
		if os.Getenv(variable) == "" {
			continue
		}
		if err := refuseCall(number); err != nil {
			panic(err)
		}
	}
}

func TestDoctorWithoutLandlock(t *testing.T) {
	t.Parallel()
	p := newPatient(t, t.TempDir())
	p.env = append(p.env, withoutLandlock+"=1")
	p.golden(t, "landlock-missing")
	p.ytdlp(t, "2023.03.04", "debian")
	p.golden(t, "landlock-missing-yt-dlp-old")
	require.NotEmpty(t, p.env)
}

func TestDoctorWithoutSeccomp(t *testing.T) {
	t.Parallel()
	p := newPatient(t, t.TempDir())
	p.env = append(p.env, withoutSeccomp+"=1")
	p.golden(t, "seccomp-missing")
}

// TestDoctorAsRoot: programs of root are told of, and where the kernel does not hold them
// that is a fault.
func TestDoctorAsRoot(t *testing.T) {
	t.Parallel()
	p := newPatient(t, t.TempDir())
	for env, says := range map[string]string{
		"A=b":                  "ok       user               root, and so are the programs\n         cure:  run the service as a user of its own",
		withoutLandlock + "=1": "missing  user               root, and so are the programs\n         fails: the protection of the whole machine",
	} {
		cmd := program(t, append([]string{"PATH=" + p.bin, "TMPDIR=" + t.TempDir()}, env), append([]string{"doctor"}, p.args...)...)
		_, stdout, _ := finish(cmd)
		if os.Geteuid() == 0 {
			require.Contains(t, stdout, says)
		} else {
			require.NotContains(t, stdout, " user ")
		}
	}
}

func TestDoctorOnDisks(t *testing.T) {
	t.Parallel()
	nstest.Disk(t, 8<<20, func(t *testing.T, dir string) {
		p := newPatient(t, dir)
		p.golden(t, "disk-full")
		require.NoError(t, unix.Mount("", dir, "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
		p.golden(t, "disk-read-only")
	})
}

// TestStartSaysWhatHoldsNoPrograms: the service starts all the same.
func TestStartSaysWhatHoldsNoPrograms(t *testing.T) {
	t.Parallel()
	p := newPatient(t, t.TempDir())
	cmd := program(t, []string{"PATH=" + p.bin, "TMPDIR=" + t.TempDir(), withoutSeccomp + "=1"}, append([]string{"serve", "--listen", "127.0.0.1:0"}, p.args...)...)
	server := await(t, cmd)
	defer func() { _, _ = server.Process.Kill(), server.Wait() }() // it has served
	require.Contains(t, server.greeting, "does not refuse programs the system calls that they do not need: run the service on Linux for amd64 or arm64")
	const root = "the service and its programs run as root"
	if os.Geteuid() == 0 {
		require.Contains(t, server.greeting, root)
	} else {
		require.NotContains(t, server.greeting, root)
	}
}
