package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

const (
	// requestGrace is how long requests may take to end once no new ones are taken.
	requestGrace = 5 * time.Second
	// lastAnswers is how long the answers take at most that the end of the work leads
	// to.
	lastAnswers = time.Second
)

// Stop ends the service in good order, so that no request fails that its sender
// may not repeat:
//
//   - /readyz answers 503 and connections are closed after their next answer, for
//     DrainDelay, while everything still works (not for RoleWorker, which is sent none);
//   - the servers that HTTPServer has made accept no more connections;
//   - clients that wait are answered: a POST by its job, an event stream by
//     stream.closing. Other requests have 5 s to end;
//   - running work is given back, to be taken up by another process or at the next
//     start;
//   - connections that still are open are cut.
//
// A handler under an http.Server of your own answers until that one is shut down,
// which is to be done next: work is accepted, not begun.
//
// When ctx ends first, running steps are told to end and Stop returns ctx's
// error; what they use stays theirs, the store too, and Stop may be called again
// to wait on. Once it has returned nil, calling it again does nothing. Safe for
// concurrent use.
func (s *Server) Stop(ctx context.Context) error {
	if err := s.stopInTurn(ctx); err != nil {
		return fmt.Errorf("server: stop: %w", err)
	}
	return nil
}

// stopInTurn lets one call of Stop at a time do what is left to do.
func (s *Server) stopInTurn(ctx context.Context) error {
	s.stopOnce.Do(func() {
		s.drained = time.Now().Add(s.cfg.DrainDelay)
		if s.cfg.Role == RoleWorker { // nobody sends it requests
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
	s.lifetime.End()
	s.shutdown(ctx, requestGrace)
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

// takeTurn waits until no other call of Start or Stop is at work; a turn that is
// free is taken even where ctx has ended.
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

// shutdown closes the listeners and waits a while for the requests under way.
func (s *Server) shutdown(ctx context.Context, grace time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	for _, web := range s.webServers() {
		// An error says that time is up, or that a listener was closed before.
		_ = web.Shutdown(ctx)
	}
}

// cut ends what is left of connections: a sender that stalls makes no failure of
// an orderly end.
func (s *Server) cut() error {
	var errs []error
	for _, web := range s.webServers() {
		errs = append(errs, web.Close())
	}
	return errors.Join(errs...)
}

// webServers are those that HTTPServer has made.
func (s *Server) webServers() []*http.Server {
	s.webMu.Lock()
	defer s.webMu.Unlock()
	return s.web
}
