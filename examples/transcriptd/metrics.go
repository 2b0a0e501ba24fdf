package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/server"
)

// metricsAddress is the address of the metrics. Without a host, only this machine can reach
// them.
type metricsAddress string

// UnmarshalText is called by the parser.
func (a *metricsAddress) UnmarshalText(text []byte) error {
	var listen service.Address
	if err := listen.UnmarshalText(text); err != nil {
		return err
	}
	host, port, _ := net.SplitHostPort(string(text)) // the check above has accepted it
	if host == "" {
		host = "127.0.0.1"
	}
	*a = metricsAddress(net.JoinHostPort(host, port))
	return nil
}

// metricsListener serves /metrics, /healthz and /readyz separately from the API.
type metricsListener struct {
	net.Listener
	web *http.Server
}

// listenForMetrics opens the port; it returns nil if there are no metrics.
func listenForMetrics(ctx context.Context, at metricsAddress) (*metricsListener, error) {
	if at == "" {
		return nil, nil
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", string(at))
	if err != nil {
		return nil, fmt.Errorf("--metrics: %w: name another address", err)
	}
	return &metricsListener{Listener: l}, nil
}

// serve answers scrapes until close. failed receives an error if it ends earlier.
func (m *metricsListener) serve(s *server.Server, failed chan<- error) {
	if m == nil {
		return
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", s.Metrics())
	mux.Handle("/", s.Health())
	m.web = &http.Server{
		Handler: mux, MaxHeaderBytes: 64 << 10,
		ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute,
	}
	go func() {
		if err := m.web.Serve(m.Listener); !errors.Is(err, http.ErrServerClosed) {
			failed <- fmt.Errorf("serving metrics: %w", err)
		}
	}()
}

// lastScrape limits a scrape after the service has ended.
const lastScrape = 2 * time.Second

// close lets a running scrape end. Call it after the service has ended, because the listener
// shows the service's draining.
func (m *metricsListener) close(ctx context.Context) error {
	switch {
	case m == nil:
		return nil
	case m.web == nil:
		return m.Close()
	}
	ctx, cancel := context.WithTimeout(ctx, lastScrape)
	defer cancel()
	if err := m.web.Shutdown(ctx); err != nil {
		return m.web.Close() // nothing is lost, because no client reads the answer any more
	}
	return nil
}
