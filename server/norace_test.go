//go:build !race

package server_test

const (
	crowd    = 1000 // equal uploads
	watchers = 200  // of one job
)
