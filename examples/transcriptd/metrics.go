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

// metricsAddress is where metrics are shown; without a host, to this machine alone.
type metricsAddress string

// UnmarshalText is called by the parser.
func (a *metricsAddress) UnmarshalText(text []byte) error {
	var listen service.Address
	if err := listen.UnmarshalText(text); err != nil {
		return err
	}
	host, port, _ := net.SplitHostPort(string(text)) // it is one, as was just found
	if host == "" {
		host = "127.0.0.1"
	}
	*a = metricsAddress(net.JoinHostPort(host, port))
	return nil
}

// metricsListener shows /metrics, /healthz and /readyz, to whom the API is not
// shown.
type metricsListener struct {
	net.Listener
	web *http.Server
}

// listenForMetrics takes the port; nil: none is wanted.
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

// serve answers scrapes until close. failed is told if it ends before.
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

// lastScrape is how long a scrape may take when the service has ended.
const lastScrape = 2 * time.Second

// close lets a scrape under way end. It comes after the end of the service, whose
// draining the listener shows.
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
		return m.web.Close() // nothing is lost with an answer that nobody reads
	}
	return nil
}
