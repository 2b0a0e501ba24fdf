package service

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// checkout returns the folder of the repository from which this program was built, or empty if
// this machine does not have the folder, or it belongs to a stranger. The program may run on
// another machine than the one that built it.
func checkout() string {
	_, source, _, _ := runtime.Caller(0) // a program that was built with -trimpath has no absolute path here
	root := filepath.Join(filepath.Dir(source), "..", "..", "..")
	if !filepath.IsAbs(root) || !trusted(filepath.Join(root, "Makefile")) {
		return ""
	}
	return root
}

// trusted reports whether a file exists, and belongs to root or to this user.
func trusted(path string) bool {
	file, err := os.Stat(path)
	if err != nil {
		return false
	}
	owner := file.Sys().(*syscall.Stat_t).Uid //nolint:forcetypeassert // package os promises the type
	return owner == 0 || int(owner) == os.Getuid()
}
