//go:build !linux

// Package disktest gives tests a small file system, which is soon full.
package disktest

import "testing"

// Run skips the test: there is no small file system on this system.
func Run(t *testing.T, _ int64, _ func(t *testing.T, dir string)) {
	t.Helper()
	t.Skip("a small file system can be made on Linux only")
}

// Fill is never called, because Run skips the test.
func Fill(t *testing.T, _ string) (free func()) {
	t.Helper()
	return func() {}
}
