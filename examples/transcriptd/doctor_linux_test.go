package main

import (
	"os"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/transcriptkit/transcriptkit/internal/disktest" //nolint:depguard // a small file system
)

// withoutLandlock makes the test binary, as the program, one on a kernel that refuses
// Landlock, as the profiles of some containers do.
const withoutLandlock = "TRANSCRIPTD_TEST_WITHOUT_LANDLOCK"

// refuseLandlock lets the kernel answer ENOSYS to whoever asks for Landlock: this
// process, and all that it starts.
func refuseLandlock() error {
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // the number of the call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_LANDLOCK_CREATE_RULESET, Jf: 1},
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
	if os.Getenv(withoutLandlock) == "" {
		return
	}
	if err := refuseLandlock(); err != nil {
		panic(err)
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

func TestDoctorOnDisks(t *testing.T) {
	t.Parallel()
	disktest.Run(t, 8<<20, func(t *testing.T, dir string) {
		p := newPatient(t, dir)
		p.golden(t, "disk-full")
		require.NoError(t, unix.Mount("", dir, "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
		p.golden(t, "disk-read-only")
	})
}
