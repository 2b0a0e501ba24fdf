package server

import (
	"errors"
	"fmt"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/server/engine"
)

// newGuard makes the guard that opens links.
func newGuard(c Config) (*egress.Guard, error) {
	with := c.Egress.guardConfig()
	with.Log = c.Log
	guard, err := egress.New(with)
	return guard, guardError(err)
}

// guardError names the member of the configuration that an error of the guard is about.
func guardError(err error) error {
	if wrong := (*egress.ConfigError)(nil); errors.As(err, &wrong) {
		return &ConfigError{"Egress." + wrong.Member, wrong.Err}
	}
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	return nil
}

// makeEngine makes the engine, and warns of programs that the kernel does not confine.
func (s *Server) makeEngine() (engine.Engine, error) {
	programs, err := run.New(run.Config{Dir: s.scratch.Path(), Path: s.cfg.Path, Guard: s.guard})
	if err != nil {
		return engine.Engine{}, fmt.Errorf("server: %w", err)
	}
	if s.unconfined = programs.Confined(); s.unconfined != nil {
		s.cfg.Log.Warn("programs are not confined", "err", s.unconfined)
	}
	if programs.AsRoot() {
		s.cfg.Log.Warn("the service and its programs run as root, and need not", "cure", engine.CureRoot)
	}
	if !programs.EndsAll() {
		s.cfg.Log.Warn("what a program starts may outlive the service: the system grants it no PID namespaces")
	}
	return newEngine(s.cfg, programs, s.guard, s.scratch.Path())
}

// newEngine makes the engine with a host that runs programs and has a folder.
func newEngine(c Config, programs *run.Runner, guard *egress.Guard, dir string) (engine.Engine, error) {
	eng, err := c.Engine(engine.Host{
		HTTP: guard.Client(), Programs: programs, Confined: programs.Confined() == nil, Judge: guard.JudgeLink, Dir: dir,
	})
	if err != nil {
		return engine.Engine{}, &ConfigError{"Engine", err}
	}
	return eng, nil
}
