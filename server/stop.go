package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/service"
)

const (
	// firstRequests is how long the server waits for the first requests of the last
	// connections.
	firstRequests = 5 * time.Second
	// requestGrace is how long running requests may take after the last new request.
	requestGrace = 5 * time.Second
	// lastAnswers is how long the server waits for answers after the work has ended.
	lastAnswers = time.Second
)

// Stop shuts the service down gracefully. A client may repeat a request that fails
// meanwhile. These are the steps:
//
//   - for DrainDelay, /readyz answers 503 and connections close after their next answer,
//     while everything still works (not for RoleWorker, which gets no requests);
//   - the servers of HTTPServer accept no more connections, and read the first request of each
//     accepted connection;
//   - waiting clients get their answers: a POST gets its job, and an event stream gets
//     stream.closing. Other requests have 5 s to end;
//   - the server puts running work back into the queue, for another process or for the
//     next start;
//   - the server cuts the connections that are still open.
//
// If the handlers run under an [http.Server] of your own, shut it down next: until
// then, the handlers still accept work, which the next start begins.
//
// If ctx ends first, Stop cancels the running steps and returns the error of ctx. The
// steps may still use the store: call Stop again to wait for them. After Stop has
// returned nil, another call does nothing. Stop is safe for concurrent use.
func (s *Server) Stop(ctx context.Context) error {
	if err := s.stopInTurn(ctx); err != nil {
		return fmt.Errorf("server: stop: %w", err)
	}
	return nil
}

// stopInTurn does the remaining steps of Stop, in a single call at a time.
func (s *Server) stopInTurn(ctx context.Context) error {
	s.stopOnce.Do(func() {
		s.drained = time.Now().Add(s.cfg.DrainDelay)
		if s.cfg.Role == RoleWorker { // a worker gets no requests
			s.drained = time.Now()
		}
		s.lifetime.Drain()
	})
	if err := s.takeTurn(ctx); err != nil {
		return err
	}
	defer s.giveTurn()
	if s.stopped {
		return nil
	}
	select {
	case <-time.After(time.Until(s.drained)):
	case <-ctx.Done():
	}
	s.closeEntrance(ctx)
	s.lifetime.End()
	s.shutdown(ctx, cmp.Or(service.SettingsOf(&s.cfg).RequestGrace, requestGrace))
	if err := s.pipeline.Stop(ctx); err != nil {
		return err
	}
	s.shutdown(ctx, lastAnswers)
	s.edge.Close()
	s.stopped = true
	var err error
	if s.release != nil {
		err = s.release()
	}
	return errors.Join(err, s.cut(), s.close())
}

// takeTurn waits until no other call of Start or Stop runs. takeTurn takes a free turn even
// after the end of ctx.
func (s *Server) takeTurn(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	default:
	}
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *Server) giveTurn() { <-s.turn }

// closeEntrance lets no more connections in, and waits for the first requests of the last ones.
func (s *Server) closeEntrance(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, firstRequests)
	defer cancel()
	s.entrance.Close(ctx)
}

// shutdown closes the listeners, and waits at most grace for the running requests.
func (s *Server) shutdown(ctx context.Context, grace time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	for _, web := range s.webServers() {
		// It returns an error if time is up, or if a listener was already closed.
		_ = web.Shutdown(ctx)
	}
}

// cut closes the remaining connections. A client that stalls does not make Stop fail.
func (s *Server) cut() error {
	var errs []error
	for _, web := range s.webServers() {
		errs = append(errs, web.Close())
	}
	return errors.Join(errs...)
}

// webServers are the servers of HTTPServer.
func (s *Server) webServers() []*http.Server {
	s.webMu.Lock()
	defer s.webMu.Unlock()
	return s.web
}
