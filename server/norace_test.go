//go:build !race

package server_test

const (
	crowd    = 1000 // equal requests
	watchers = 200  // of one job
	reports  = 2000 // of its progress

	bigUpload = 256 << 20 // bytes
	bigBatch  = 500       // texts
)
