package service_test

import (
	"flag"
	"testing"
)

// TestMain takes fewer histories than rapid would, which are of many jobs each. Its
// flag takes more: go test -run TestHistories ./server/internal/service -rapid.checks 1000.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "30"); err != nil {
		panic(err) // rapid has another flag now
	}
	m.Run()
}
