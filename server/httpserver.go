package server

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/internal/underway"
)

// Bounds of every connection.
const (
	maxHeaderBytes    = 64 << 10
	readHeaderTimeout = 10 * time.Second
	idleTimeout       = 2 * time.Minute
)

// HTTPServer is an http.Server for the whole API, with bounds on the cost of a connection:
// the size of the header, the time for the header, and the idle time. The number of open
// connections is bounded too. A new connection always has a place: if 2,000 are open, the server
// closes one of the client that holds most. Connections that wait for a request go first, while more than an
// eighth of all wait. An http.Server of the embedder has none of these bounds;
// golang.org/x/net/netutil.LimitListener can bound its listener.
//
// There is no bound on the time of an answer, because such a bound would cut event streams
// off. The handlers set their own deadlines. Stop shuts the http.Server down: ListenAndServe
// then returns http.ErrServerClosed at once, before Stop has done its work. With Listener in
// front of its listener, Stop drops no connection that has been accepted.
func (s *Server) HTTPServer(addr string) *http.Server {
	connections := underway.NewConnections(service.SettingsOf(&s.cfg).Connections)
	web := &http.Server{
		Addr:              addr,
		Handler:           s.Handler(),
		MaxHeaderBytes:    maxHeaderBytes,
		ReadHeaderTimeout: readHeaderTimeout,
		IdleTimeout:       idleTimeout,
		// The handler refuses "OPTIONS *".
		DisableGeneralOptionsHandler: true,
		ConnState:                    connections.Changed,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return connections.Context(edge.ConnContext(ctx, c), c)
		},
		BaseContext: func(l net.Listener) context.Context {
			s.entrance.Watch(l)
			return context.Background()
		},
	}
	s.webMu.Lock()
	defer s.webMu.Unlock()
	s.web = append(s.web, web)
	return web
}
