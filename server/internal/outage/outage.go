// Package outage has the error of the places where the service stores its data.
package outage

import "errors"

// ErrUnavailable means that the database, or the place of the blobs, is not available at
// the moment: it cannot be reached, starts, stops or fails over, is full, is locked by
// another program, or does not answer in time. The same call may succeed a few seconds
// later. A call that failed has written nothing, unless its commit got no answer.
var ErrUnavailable = errors.New("store: unavailable")
