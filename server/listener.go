package server

import (
	"net"

	"github.com/transcriptkit/transcriptkit/server/internal/edge"
)

// Listener is l for an http.Server that speaks plain HTTP, such as the server of HTTPServer. Behind
// Listener, a large answer leaves by one system call, and [Server.Stop] drops no connection that was
// accepted. In front of Listener, TLS works as usual, without these additions.
func (s *Server) Listener(l net.Listener) net.Listener { return edge.Listener(l) }
