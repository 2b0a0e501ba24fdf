package server

import (
	"net"

	"github.com/transcriptkit/transcriptkit/server/internal/edge"
)

// Listener wraps l for an [http.Server] that serves plain HTTP, such as the one of
// [Server.HTTPServer]. It sends a large answer in one system call, and [Server.Stop]
// drops no connection that it has accepted. A TLS listener around the result works, but
// without these additions.
func (s *Server) Listener(l net.Listener) net.Listener { return edge.Listener(l) }
