package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/examples/internal/doctor"
	"github.com/transcriptkit/transcriptkit/examples/internal/plain"
	"github.com/transcriptkit/transcriptkit/examples/internal/progress"
	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
)

// doctorCommand takes the flags of serve and examines everything that serve would use. It
// continues if a flag is wrong.
type doctorCommand struct {
	serveCommand
	Network bool `verb:"" help:"Test the network too: whether the video site answers, by each exit."`

	wrong []error // the faults of flags
}

// Tolerate is called by the parser.
func (c *doctorCommand) Tolerate(fault error) { c.wrong = append(c.wrong, fault) }

// Validate is called by the parser. A contradiction between flags is a finding of Run.
func (c *doctorCommand) Validate() error { return nil }

// doctorPatience limits an examination in which a check hangs.
const doctorPatience = 2 * time.Minute

// Run prints a line for each thing, with the features that fail and the remedy.
func (c *doctorCommand) Run(ctx context.Context, out output) error {
	ctx, cancel := context.WithTimeout(ctx, doctorPatience)
	defer cancel()
	if err := c.serveCommand.Validate(); err != nil {
		c.Tolerate(err)
	}
	setup, err := c.setup(ctx, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	found, err := c.examine(ctx, &setup)
	if err != nil {
		return err
	}
	for _, f := range service.EachCureOnce(found) {
		printFinding(out.Stdout, f)
	}
	return verdict(found)
}

// examine runs all checks. It leaves out flags that prevent the engine from being made.
func (c *doctorCommand) examine(ctx context.Context, setup *service.Setup) ([]engine.Finding, error) {
	for {
		config, err := setup.Config()
		if err != nil {
			return nil, err
		}
		config.Role = c.Role.Role
		if c.Network {
			config.Engine = rehearsing(config.Engine)
		}
		found, err := server.Examine(ctx, config, setup.StoreOptions())
		if err == nil {
			return c.all(ctx, *setup, found), nil
		}
		if err = service.ByFlag(err); !leaveOut(setup, err) {
			return nil, err
		}
		c.Tolerate(err)
	}
}

// all adds the findings about flags, the model and the network to those of the server. If the
// flag of a thing is wrong, the thing is not examined with the default of the flag instead.
func (c *doctorCommand) all(ctx context.Context, setup service.Setup, found []engine.Finding) []engine.Finding {
	found = append(doctor.Complete(setup, found, c.Role.Role != server.RoleAPI), c.examineNetwork(ctx, setup)...)
	var wrong []engine.Finding
	for _, err := range c.wrong {
		f := examineFlag(err)
		found = slices.DeleteFunc(found, func(other engine.Finding) bool { return other.Name == f.Name })
		if !slices.Contains(wrong, f) {
			wrong = append(wrong, f)
		}
	}
	return append(wrong, doctor.WithCures(found)...)
}

// printFinding prints a line, and below it the features that fail and the remedy.
func printFinding(w io.Writer, f engine.Finding) {
	fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%-8s %-18s %s", f.Status, f.Name, progress.OneLine(plain.Text(f.Found))), " "))
	if f.Fails != "" {
		fmt.Fprintf(w, "%9sfails: %s\n", "", progress.OneLine(f.Fails))
	}
	if f.Cure != "" {
		fmt.Fprintf(w, "%9scure:  %s\n", "", progress.OneLine(f.Cure))
	}
}

// verdict returns the exit code.
func verdict(found []engine.Finding) error {
	worst := exitCode(exitOK)
	for _, f := range found {
		switch f.Status {
		case engine.Broken:
			return exitCode(exitFailure)
		case engine.Missing, engine.Old:
			worst = exitDegraded
		case engine.OK:
		}
	}
	if worst == exitOK {
		return nil
	}
	return worst
}
