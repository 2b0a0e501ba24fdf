package server

import "net/http"

// Bounded is next with the API's bounds on clients, for what a program serves next to the API. The
// bounds are those of docs/guides/limits.md:
//
//   - A client that sends a body or reads an answer may stand still for half a minute, or for a
//     minute after it has moved much. It must move 4 KiB for every second beyond. A Read or a Write
//     that takes longer fails, and the connection ends. An event of a stream has 10 s. A handler
//     that sets a write deadline itself has that deadline.
//   - An address and its network have so many requests under way at once. Others are refused with
//     429. Addresses are those of [ClientAddr] with [Config.TrustedProxies].
//
// Bounded may stand in front of the API as well, whose requests then also count for their
// addresses; not in front of /healthz and /readyz, which always answer. A writer that knows no
// deadlines, as in a handler's own test, has no slow clients.
func (s *Server) Bounded(next http.Handler) http.Handler { return s.edge.Bounded(next) }
