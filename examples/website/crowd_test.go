package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/internal/test/crowdtest"
)

// mostOfAddress is how many requests an address may have under way.
const mostOfAddress = 125

// A crowd at one address holds the places of one address. Visitors elsewhere, and the health of the
// service, do not notice, whatever the crowd stands before.
func TestCrowdsBeforeTheWebsite(t *testing.T) {
	t.Parallel()
	s := startWebsite(t, "--sign-up")
	place := crowdtest.Serve(t, s.web, s.server.Listener)
	get := func(path string) string { return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n" }
	unharmed := func(name string) {
		for _, path := range []string{"/", "/sign-up", "/docs/openapi.json", "/healthz", "/readyz"} {
			resp, _ := place.Ask(t, "203.0.113.9", get(path))
			assert.Equal(t, http.StatusOK, resp.StatusCode, "%s: %s", name, path)
		}
	}
	for _, path := range []string{"/", "/anywhere", "/sign-in", "/docs", "/docs/openapi.json", "/v1/usage", "/web/v1/usage", "/shared/x", "/v1/shared/x", "/assets/nothing", "/healthz", "/nothing"} {
		crowd := place.Stand(t, "198.51.100.7", get(path), mostOfAddress+10)
		unharmed("readers of " + path)
		crowd.Leave()
	}
	for _, path := range []string{"/sign-in", "/sign-up", "/transcripts", "/batches", "/library/import", "/web/v1/transcript", "/v1/transcript", "/nothing"} {
		part := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nname=", path)
		crowd := place.Stand(t, "198.51.100.7", part, mostOfAddress+10)
		unharmed("senders to " + path)
		crowd.Leave()
	}
}

// An address has so many requests under way, and its network twice as many.
func TestRequestsUnderWayOfAnAddress(t *testing.T) {
	t.Parallel()
	s := startWebsite(t, "--sign-up")
	place := crowdtest.Serve(t, s.web, s.server.Listener)
	expects := strings.Join([]string{
		"POST /sign-in HTTP/1.1", "Host: localhost", "Origin: http://localhost", "Content-Type: application/x-www-form-urlencoded",
		"Content-Length: 100", "Expect: 100-continue", "", "",
	}, "\r\n")
	for address, held := range map[string]int{"198.51.100.7": mostOfAddress, "2001:db8::1": mostOfAddress} {
		crowd := place.Stand(t, address, expects, mostOfAddress+10)
		assert.Equal(t, map[int]int{http.StatusContinue: held, http.StatusTooManyRequests: 10}, crowd.Statuses(), address)
		defer crowd.Leave()
	}
	second := place.Stand(t, "198.51.100.8", expects, mostOfAddress)
	defer second.Leave()
	assert.Equal(t, map[int]int{http.StatusContinue: mostOfAddress}, second.Statuses())
	third := place.Stand(t, "198.51.100.9", expects, 1)
	defer third.Leave()
	assert.Equal(t, map[int]int{http.StatusTooManyRequests: 1}, third.Statuses(), "of the network")
	resp, body := place.Ask(t, "203.0.113.9", "GET /sign-in HTTP/1.1\r\nHost: localhost\r\n\r\n")
	assert.Equal(t, http.StatusOK, resp.StatusCode, body)
}
