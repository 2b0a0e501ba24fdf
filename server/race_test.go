//go:build race

package server_test

// The race detector makes everything ten times as slow: the crowds are smaller
// under it, and have their full size in a run of their own (make test).
const (
	crowd    = 200 // equal uploads
	watchers = 30  // of one job
)
