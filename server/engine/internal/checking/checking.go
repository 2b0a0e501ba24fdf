// Package checking asks servers whether they are there.
package checking

import (
	"context"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// DefaultPatience is how long a server may take to answer where nothing else is set.
const DefaultPatience = 4 * time.Second

// Ask asks a server by HTTP, for at most as long as the patience. busy tells that it has
// taken the connection and not answered in that time: one that works on something may do
// so. The error is that of ask.
func Ask(ctx context.Context, patience time.Duration, ask func(context.Context) error) (busy bool, err error) {
	var connected atomic.Bool
	patient, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err = ask(httptrace.WithClientTrace(patient, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	}))
	return err != nil && ctx.Err() == nil && patient.Err() != nil && connected.Load(), err
}
