package server

import (
	"net"
	"net/http"

	"github.com/transcriptkit/transcriptkit/server/internal/edge"
)

// Patient is next with the API's bounds on slow clients, for what a program serves next to
// the API. A client that sends a body may stand still for a minute; after half a minute it
// must have sent 4 KiB for every second since. A client that reads an answer may take 2
// minutes. A Read or a Write beyond these bounds fails, and the connection ends. A handler
// that sets a write deadline itself, as a stream does, has that deadline.
//
// Patient may stand before the API as well, which has these bounds already. A writer that
// knows no deadlines, as in a handler's own test, has no bounds.
func Patient(next http.Handler) http.Handler { return edge.Patient(next) }

// Listener is l for an http.Server that speaks plain HTTP, such as the server of
// HTTPServer. The package net/http refuses unreadable requests itself, in plain text: a
// request line or a header that is malformed or too large, or an unknown Expect or
// Transfer-Encoding. Behind Listener, such a refusal has the API's form, an
// X-Request-Id and a line in the log. In front of Listener, TLS works as usual, without
// these additions.
func (s *Server) Listener(l net.Listener) net.Listener { return edge.Listener(l, s.cfg.Log) }
