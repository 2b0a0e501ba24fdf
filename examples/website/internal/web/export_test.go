package web

import "net/http"

// Direct is the way to a handler without a connection.
func Direct(h http.Handler) http.RoundTripper { return direct{h} }

// ErrBroken is how an answer ends whose handler has panicked.
var ErrBroken = errBroken
