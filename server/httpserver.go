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

// HTTPServer returns an [http.Server] for the whole API that limits the cost of
// connections: the size of the header, the time to read the header, and the idle time.
// It also limits the number of open connections to 2,000. It accepts every new
// connection: at the limit it closes a connection of the client that has the most. It
// closes waiting connections first, as long as more than an eighth of all connections
// wait for a request. An http.Server of your own has none of these limits;
// golang.org/x/net/netutil.LimitListener can limit its connections.
//
// The http.Server has no WriteTimeout, because that would cut event streams off. The
// handlers set their own deadlines. [Server.Stop] shuts the http.Server down:
// ListenAndServe then returns [http.ErrServerClosed] at once, before Stop has finished.
// If you wrap the listener in [Server.Listener], Stop drops no accepted connection.
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
