// Package disktest gives tests a small file system, which is soon full.
package disktest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// inside marks a test binary that runs in a namespace of its own.
const inside = "DISKTEST_INSIDE"

// Run runs f with a folder on a file system of its own that holds size bytes. If the user may
// not mount file systems, the test binary runs itself again in a namespace, for this test
// alone.
func Run(t *testing.T, size int64, f func(t *testing.T, dir string)) {
	t.Helper()
	run(t, fmt.Sprintf("size=%d,mode=0755", size), f)
}

// RunWithFiles is Run for a file system that also has room for files files at most, with its folders.
func RunWithFiles(t *testing.T, size, files int64, f func(t *testing.T, dir string)) {
	t.Helper()
	run(t, fmt.Sprintf("size=%d,nr_inodes=%d,mode=0755", size, files), f)
}

func run(t *testing.T, options string, f func(t *testing.T, dir string)) {
	t.Helper()
	dir, err := mount(t, options)
	switch {
	case err == nil:
		f(t, dir)
	case errors.Is(err, unix.EPERM) && os.Getenv(inside) == "": //nolint:forbidigo // set by again
		again(t)
	default:
		t.Fatalf("mounting a small file system: %v", err)
	}
}

// mount mounts a file system until the end of the test.
func mount(t *testing.T, options string) (string, error) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		return "", err
	}
	t.Cleanup(func() {
		// A file that is still open must not block the end of the test: a lazy unmount removes
		// the file system later.
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Errorf("unmounting %s: %v", dir, err)
		}
	})
	return dir, nil
}

// again runs the test in a user namespace, in which its user may mount file systems.
func again(t *testing.T) {
	pattern := "^" + strings.ReplaceAll(t.Name(), "/", "$/^") + "$"
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run="+pattern, "-test.v", "-test.count=1")
	cmd.Env = append(os.Environ(), inside+"=1") //nolint:forbidigo // it is the same test
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		Pdeathsig:   syscall.SIGKILL,
	}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, unix.EPERM) && os.Getenv("CI") != "true" { //nolint:forbidigo // read by tests only: whether a skip is allowed
		t.Skipf("this user may neither mount a file system nor make a namespace: %v", err)
	}
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatalf("in a namespace: %v\n%s", err, out)
	}
}

// Fill fills the remaining space in dir. Calling free releases it.
func Fill(t *testing.T, dir string) (free func()) {
	t.Helper()
	f, err := os.CreateTemp(dir, "filler-")
	if err != nil {
		t.Fatal(err)
	}
	for block := make([]byte, 64<<10); ; {
		_, err := f.Write(block)
		switch {
		case err == nil:
		case errors.Is(err, unix.ENOSPC) && len(block) > 1:
			block = block[:len(block)/2]
		case errors.Is(err, unix.ENOSPC):
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			return func() {
				if err := os.Remove(f.Name()); err != nil {
					t.Errorf("making room: %v", err)
				}
			}
		default:
			t.Fatal(err)
		}
	}
}
