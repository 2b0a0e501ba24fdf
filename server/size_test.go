package server_test

import "testing"

// sizes are the sizes of crowds and files.
type sizes struct {
	crowd    int // equal requests
	watchers int // of one job
	reports  int // of its progress

	bigUpload int64 // bytes
	bigBatch  int   // texts
}

// size has the full sizes, as in make test-all; with -short, as in make test, small ones.
func size() sizes {
	if testing.Short() {
		return sizes{crowd: 50, watchers: 10, reports: 200, bigUpload: 64 << 20, bigBatch: 50}
	}
	return sizes{crowd: 1000, watchers: 200, reports: 2000, bigUpload: 256 << 20, bigBatch: 500}
}
