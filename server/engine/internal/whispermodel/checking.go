package whispermodel

import (
	"context"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// DefaultPatience limits the wait for an answer if the engine sets no other bound.
const DefaultPatience = 4 * time.Second

// AskServer calls ask, which sends an HTTP request to a server, and waits at most for patience. busy
// is true if the server took the connection but did not answer in time: a server at work on a
// recording may do so. The error is that of ask.
func AskServer(ctx context.Context, patience time.Duration, ask func(context.Context) error) (busy bool, err error) {
	var connected atomic.Bool
	patient, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err = ask(httptrace.WithClientTrace(patient, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	}))
	return err != nil && ctx.Err() == nil && patient.Err() != nil && connected.Load(), err
}
