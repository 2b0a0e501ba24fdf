package server

import "fmt"

// Change replaces the members Egress.Deny, Egress.Proxies, Egress.ProxiesByName, Egress.Exits, Pace
// and RecognizeBlockedAfter of the configuration of a running server, and ignores all others of c.
// Visits and jobs go on: a visit keeps its exit, and what waits keeps its place. A *ConfigError names
// the member that is wrong; then nothing changes. Change looks names up like New, and is safe for
// concurrent use.
func (s *Server) Change(c Config) error {
	changed := s.cfg
	changed.Pace, changed.RecognizeBlockedAfter = c.Pace, c.RecognizeBlockedAfter
	changed, err := changed.withDefaults()
	if err != nil {
		return err
	}
	if err := guardError(s.guard.Change(c.Egress.guardConfig())); err != nil {
		return err
	}
	if err := s.pipeline.SetPace(changed.Pace); err != nil {
		return fmt.Errorf("server: %w", err) // not reached: it has been checked
	}
	s.pipeline.SetRecognizeBlockedAfter(changed.RecognizeBlockedAfter)
	return nil
}
