package server

import (
	"net"

	"github.com/transcriptkit/transcriptkit/server/internal/edge"
)

// Listener is l for an http.Server that speaks plain HTTP, such as the server of
// HTTPServer. The package net/http refuses unreadable requests itself, in plain text: a
// request line or a header that is malformed or too large, or an unknown Expect or
// Transfer-Encoding. Behind Listener, such a refusal has the API's form, an
// X-Request-Id and a line in the log. In front of Listener, TLS works as usual, without
// these additions.
func (s *Server) Listener(l net.Listener) net.Listener { return edge.Listener(l, s.cfg.Log) }
