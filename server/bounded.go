package server

import "net/http"

// Bounded returns next with the API's limits on clients, for handlers that a program
// serves together with the API. docs/guides/limits.md describes these limits:
//
//   - A client that sends a body or reads an answer may pause for half a minute, or for
//     a minute after much data. Beyond that, it must transfer 4 KiB each second. A
//     slower Read or Write fails, and the connection ends. An event of a stream must be
//     read within 10 s. If a handler sets a write deadline itself, that deadline
//     applies.
//   - The number of requests at the same time is limited for each address and its
//     network. Further requests are refused with 429. The address is that of
//     [ClientAddr] with [Config.TrustedProxies].
//
// You may wrap the API in Bounded too. The requests of the API then also count for
// their addresses. Do not wrap /healthz and /readyz, which must always answer. If the
// ResponseWriter does not support deadlines, as in a test of a handler, slow clients
// are not limited.
func (s *Server) Bounded(next http.Handler) http.Handler { return s.edge.Bounded(next) }
