// Package service holds the common parts of the programs here that run the service: flags for
// storage, recognizer and links, and the construction of a server from them.
//
//	type serveCommand struct {
//		service.Flags
//		Own string `help:"A flag of the program's own."`
//	}
//
//	setup, err := c.Setup(ctx, log)
//	config, err := setup.Open(ctx) // the caller closes config.Store
//	config.Authenticator = visitors
//	s, err := server.New(ctx, config)
//
// The parser (kong) reads the flags and knows [Vars]. Check checks what the parser cannot
// check.
package service

import (
	"cmp"
	"errors"
	"time"

	"github.com/transcriptkit/transcriptkit/server"
)

// Flags are the flags of a program that runs the service.
type Flags struct {
	DatabaseFlag
	Listen Address `default:"${listen}" placeholder:"ADDR" help:"Address to listen on (${default}); port 0 takes a free one."`
	BlobsFlag
	PlansFlag
	TrustedProxy []network `placeholder:"CIDR" help:"A proxy in front of the service, as 10.0.0.0/8 or an address: its X-Forwarded-For names the client. May be repeated. Default: no proxy is trusted."`
	RecognizerFlags
	LinkFlags
	FullSync bool `help:"Make every commit on SQLite survive a loss of power; commits then take ten times as long."`
	// The default is the time in which a load balancer checks /readyz once or twice.
	DrainDelay time.Duration `default:"${drain}" placeholder:"DURATION" help:"How long /readyz answers 503 draining before the service stops, while it still works (${default}); 0 without a load balancer."`
	Log        logFlag       `embed:""`
}

// Check refuses contradictory flags. The error names the flag.
func (f Flags) Check() error {
	return cmp.Or(f.CheckAPI(), f.check())
}

// CheckAPI is Check for a process that does no work itself and so needs no recognizer.
func (f Flags) CheckAPI() error {
	if f.DrainDelay < 0 {
		return errors.New("--drain-delay must not be negative")
	}
	return nil
}

// FlagError is a wrong value of a flag that is detected only when the service runs.
type FlagError struct {
	Flag string // "--listen", or the file of the setting
	Err  error  // the fault of the value
}

// Error names the flag and the fault.
func (e *FlagError) Error() string { return e.Flag + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *FlagError) Unwrap() error { return e.Err }

// ByFlag translates errors of server.New and server.Examine about a field of the configuration
// into errors about the flag behind that field.
func ByFlag(err error) error {
	var wrong *server.ConfigError
	switch {
	case !errors.As(err, &wrong):
		return err
	case wrong.Member == "Egress.Allow":
		return &FlagError{"--allow-egress", wrong.Err}
	case wrong.Member == "Egress.Exits":
		return &FlagError{"--links", wrong.Err}
	case wrong.Member == "Engine":
		return wrong.Err // the error names the program
	}
	return err
}
