package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"

	"github.com/alecthomas/kong"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/internal/localservice"
	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/examples/internal/transcribe"
)

type transcribeCommand struct {
	transcribe.Flags
	offerFlags
	Own ownFlags `embed:"" group:"The service in this process:"`
}

// Help describes the command.
func (*transcribeCommand) Help() string {
	return `Writes what the program "transcribe" writes, without an account, a key and a running service.

If "transcriptd serve" runs on this machine, with the account "local", the command uses that service. Otherwise, and with a flag of the last group, the command runs the service in its own process, on a database in the user's state folder: $XDG_STATE_HOME/transcriptd, or ~/.local/state/transcriptd. Several calls at the same time share one service.

If only PocketSphinx can recognize speech here, the first recording on a terminal asks once whether to download a better recognizer.

After an interruption, also by kill -9 or a loss of power, the same command goes on with its work. Finished texts stay in the database, and the next call for the same link or recording answers with them.`
}

// Validate is called by the parser.
func (c *transcribeCommand) Validate() error { return c.Own.flags().Check() }

// Run transcribes.
func (c *transcribeCommand) Run(ctx context.Context, call *kong.Context, out output) (err error) {
	var own *ownService
	defer func() {
		if own != nil {
			err = errors.Join(err, own.close())
		}
	}()
	open := func(ctx context.Context, say func(string)) (_ *client.Client, err error) {
		choose := func(serving context.Context, log *slog.Logger, first bool) (service.Setup, error) {
			setup, err := c.Own.setup(serving, log)
			if err != nil || !first || !c.hasRecording() || c.Quiet && !c.Yes {
				return setup, err
			}
			setup.Speech, err = c.improve(ctx, out.Stderr, setup.Speech) // ctx ends when the user interrupts the question
			return setup, err
		}
		if own, err = openOwnService(ctx, choose); err != nil {
			return nil, err
		}
		if configures(call) && own.shared() {
			say("Another call runs the service, with its own recognizer and links: the flags of this call for them have no effect.")
		}
		return transcribe.Through(own)
	}
	if _, err := localservice.Find(); err == nil && !configures(call) {
		open = nil
	}
	code := c.Flags.Run(ctx, "transcriptd transcribe", open, out.Stdout, out.Stderr)
	if code == exitOK {
		return nil
	}
	if code == exitFailure && own != nil {
		own.tellTrouble(ctx, out.Stderr)
	}
	return exitCode(code)
}

// hasRecording reports whether the call names a recording.
func (c *transcribeCommand) hasRecording() bool {
	return slices.ContainsFunc(c.Sources, func(source string) bool {
		st, err := os.Stat(source)
		return source == "-" || err == nil && st.Mode().IsRegular()
	})
}
