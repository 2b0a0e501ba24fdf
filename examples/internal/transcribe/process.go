// Package transcribe is the program transcribe: its command line, its messages and its exit
// codes.
package transcribe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/internal/plain"
	"github.com/transcriptkit/transcriptkit/examples/internal/progress"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Main runs the program with the inputs and outputs of this process until it ends or a signal
// interrupts it, and returns the exit code.
func Main() int {
	return newProcess("transcribe").main(untilSignal(), os.Args[1:])
}

// newProcess returns the inputs and outputs of this process for a command.
func newProcess(name string) process {
	return process{name: name, getenv: os.Getenv, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, pace: usualPace()}
}

// The exit codes; --help has them too.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitHungUp      = 129
	exitInterrupted = 130
)

// process holds the inputs and outputs of the process.
type process struct {
	name           string // of the command, in messages
	getenv         func(string) string
	stdin          io.Reader
	stdout, stderr io.Writer
	open           OwnService // nil: the service that the flags name
	pace           pace       // of --watch
}

// main carries out the arguments and returns the exit code. The end of ctx is an interruption.
func (p process) main(ctx context.Context, args []string) int {
	cmd, answered, err := parse(args, p.stdout, p.stderr)
	switch {
	case answered:
		return exitOK
	case err != nil:
		return p.fail(exitUsage, err)
	}
	return p.run(ctx, cmd)
}

// run carries out a command and returns the exit code.
func (p process) run(ctx context.Context, cmd *command) int {
	w, err := cmd.prepare(p, interruptible(ctx, p.stdin))
	if err == nil && w.own {
		if w.client, err = p.open(ctx, w.display.Say); err != nil && ctx.Err() == nil {
			return p.fail(exitFailure, err)
		}
	}
	if err != nil && ctx.Err() != nil {
		return p.fail(exitEnded(ctx), fmt.Errorf("%w before the work began", ending(ctx)))
	}
	if err != nil {
		return p.fail(exitUsage, err)
	}
	failed := w.do(ctx)
	switch {
	case len(failed) == 0:
		return exitOK
	case ctx.Err() != nil && cmd.Watch == "":
		return p.fail(exitEnded(ctx), failed...)
	}
	return p.fail(exitFailure, failed...)
}

// prepare checks everything that can be wrong before work begins.
func (cmd *command) prepare(p process, in *stdin) (*work, error) {
	own := p.open != nil && !cmd.namesService(p.getenv)
	var c *client.Client
	var err error
	if !own {
		if c, err = cmd.client(p.getenv); err != nil {
			return nil, err
		}
	}
	o, err := cmd.order(in)
	if err != nil {
		return nil, err
	}
	if own && o.follow {
		return nil, errors.New("follow: a service must run all the time to look for new items: start one with \"transcriptd serve\", or name one with --server")
	}
	path, option := cmd.Output, "--output"
	if cmd.Watch != "" {
		path, option = cmd.Watch, "--watch"
	}
	out, err := newOutput(path, p.stdout, o)
	if err == nil {
		err = out.spare(o, cmd.From)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", option, err)
	}
	errs := p.stderr
	if cmd.Quiet {
		p.stderr = io.Discard // errors are reported at the end
	}
	return &work{command: cmd, client: c, order: o, output: out, display: progress.New(p.stderr), own: own, stderr: errs, name: p.name, colors: p.getenv("NO_COLOR") == "", pace: p.pace}, nil
}

// cures say what to do about errors whose texts only say what is wrong.
var cures = []struct {
	code transcript.Code
	says string
}{
	{transcript.UnsupportedPlatform, "The service does not read this site: save the recording, and transcribe the file. A service with --direct-media reads links to recordings."},
	{transcript.Unavailable, "The service cannot see it: check the link, or transcribe a file."},
}

// fail prints each error on a line, followed by a cure if the error itself names none.
func (p process) fail(code int, failed ...error) int {
	for _, err := range failed {
		fmt.Fprintln(p.stderr, p.name+":", progress.OneLine(plain.Words(err)))
	}
	var unreachable *net.OpError
	if errors.As(errors.Join(failed...), &unreachable) && unreachable.Op == "dial" {
		fmt.Fprintln(p.stderr, "No service answers there: start one with \"transcriptd serve\", or name another with --server or TRANSCRIBE_SERVER.")
	}
	for _, c := range cures {
		if errors.Is(errors.Join(failed...), c.code) {
			fmt.Fprintln(p.stderr, c.says)
		}
	}
	for _, known := range knownLanguages(failed) {
		fmt.Fprintln(p.stderr, known)
	}
	var refused *client.Error
	if errors.As(errors.Join(failed...), &refused) {
		switch refused.Slug {
		case "unauthorized":
			fmt.Fprintln(p.stderr, "The service wants a key: --key-file or TRANSCRIBE_KEY.")
		case "invalid_credential":
			fmt.Fprintln(p.stderr, "The service does not take this key: it is another service's, has expired or is revoked.")
		case "":
			if refused.Code == "" {
				fmt.Fprintln(p.stderr, "That is no answer of a transcript service: name the service with --server or TRANSCRIBE_SERVER.")
			}
		}
	}
	return code
}
