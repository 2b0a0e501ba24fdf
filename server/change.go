package server

import "fmt"

// Change replaces the members Egress.Deny, Egress.Proxies, Egress.ProxiesByName, Egress.Exits, Pace
// and RecognizeBlockedAfter of the configuration of a running server, and ignores all others of c.
// Running visits and jobs continue: a visit keeps its exit, and waiting work keeps its place in the
// queue. If a member is wrong, Change changes nothing, and the error is a *ConfigError that names
// the member. Change resolves host names as New does, and is safe for concurrent use.
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
		return fmt.Errorf("server: %w", err) // not reached, because the value has been checked
	}
	s.pipeline.SetRecognizeBlockedAfter(changed.RecognizeBlockedAfter)
	return nil
}
