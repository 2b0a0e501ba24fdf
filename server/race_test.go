//go:build race

package server_test

// The race detector makes everything ten times as slow: crowds and files are smaller
// under it, and have their full size without it (make test).
const (
	crowd    = 50  // equal requests
	watchers = 10  // of one job
	reports  = 200 // of its progress

	bigUpload = 64 << 20 // bytes
	bigBatch  = 50       // texts
)
