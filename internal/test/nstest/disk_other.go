//go:build !linux

// Package nstest gives tests a small file system, on Linux.
package nstest

import "testing"

// Disk skips the test: there is no small file system on this system.
func Disk(t *testing.T, _ int64, _ func(t *testing.T, dir string)) {
	t.Helper()
	t.Skip("a small file system can be made on Linux only")
}

// Fill is never called, because Disk skips the test.
func Fill(t *testing.T, _ string) (free func()) {
	t.Helper()
	return func() {}
}
