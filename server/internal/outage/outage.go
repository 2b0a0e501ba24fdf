// Package outage has the error of the places where the service keeps its data.
package outage

import "errors"

// ErrUnavailable says that the database, or the place of the blobs, is away for the
// moment: it is out of reach, starts, stops or fails over, has no room, is locked by
// another program, or does not answer in time. The same call may succeed a few seconds
// later. A call that failed has written nothing, unless its commit got no answer.
var ErrUnavailable = errors.New("store: unavailable")
