package nstest

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Disk runs f with a folder on a file system of its own that holds size bytes. If the user may
// not mount file systems, the test binary runs itself again in a namespace, for this test
// alone.
func Disk(t *testing.T, size int64, f func(t *testing.T, dir string)) {
	t.Helper()
	disk(t, fmt.Sprintf("size=%d,mode=0755", size), f)
}

// DiskWithFiles is Disk for a file system that also has room for files files at most, with its folders.
func DiskWithFiles(t *testing.T, size, files int64, f func(t *testing.T, dir string)) {
	t.Helper()
	disk(t, fmt.Sprintf("size=%d,nr_inodes=%d,mode=0755", size, files), f)
}

func disk(t *testing.T, options string, f func(t *testing.T, dir string)) {
	t.Helper()
	dir, err := mount(t, options)
	switch {
	case err == nil:
		f(t, dir)
	case errors.Is(err, unix.EPERM) && os.Getenv(inside) == "": //nolint:forbidigo // as in Run
		again(t, unix.CLONE_NEWNS)
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
