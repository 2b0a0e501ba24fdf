//go:build race

package server_test

// The race detector makes everything ten times as slow: the crowds are smaller
// under it, and have their full size in a run of their own (make test).
const (
	crowd    = 50  // equal requests
	watchers = 20  // of one job
	reports  = 400 // of its progress
)
