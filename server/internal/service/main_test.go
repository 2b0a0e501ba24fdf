package service_test

import (
	"flag"
	"testing"
)

// TestMain takes fewer histories than rapid would, which are of many jobs each. Its
// flag takes more: go test -run TestHistories ./server/internal/service -rapid.checks 1000.
//
// These tests wait for each other's turn longer than they compute: for the next attempt of a job, for
// a lease that ends. So more of them run at once than the Makefile asks for.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "30"); err != nil {
		panic(err) // rapid has another flag now
	}
	flag.Parse()
	if err := flag.Set("test.parallel", "10"); err != nil {
		panic(err) // go test always has this flag
	}
	m.Run()
}
