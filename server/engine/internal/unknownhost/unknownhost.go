// Package unknownhost has the error of a host whose name this machine cannot look up. The error
// names this machine, because nothing is known about the host.
package unknownhost

import (
	"errors"
	"net"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// longest is the length of the longest host name.
const longest = 253

// Named returns the error for a host.
func Named(host string) *transcript.Error {
	e := transcript.Errorf(transcript.UpstreamFailed, "This machine cannot reach %s. %s", clip.Line(host, longest), engine.CureNetwork)
	e.Cure = engine.CureNetwork
	return e
}

// Of returns the error of a request that failed with err because a name could not be looked up,
// and nil if the request failed for another reason. The error does not wrap err, which may hold
// an address.
func Of(err error) *transcript.Error {
	var lookup *net.DNSError
	if !errors.As(err, &lookup) {
		return nil
	}
	return Named(lookup.Name).Because(lookup)
}
