package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/alecthomas/kong"
	"golang.org/x/term"

	"github.com/transcriptkit/transcriptkit/examples/internal/localservice"
	"github.com/transcriptkit/transcriptkit/examples/internal/mcpstdio"
	"github.com/transcriptkit/transcriptkit/examples/internal/service"
)

type mcpCommand struct {
	Own ownFlags `embed:"" group:"The service in this process:"`
}

// Help describes the command.
func (*mcpCommand) Help() string {
	return `For MCP clients that start programs: put the command "transcriptd mcp" into the client's settings. The client writes its messages to standard input and reads the answers from standard output. The command ends with its standard input.

If "transcriptd serve" runs on this machine, with the account "local", the command uses that service. Otherwise, and with a flag of the last group, the command runs the service in its own process, on the database of "transcriptd transcribe": $XDG_STATE_HOME/transcriptd, or ~/.local/state/transcriptd. Several clients at the same time share one service.

A client that speaks HTTP needs no command: the service answers at /mcp, with an API key.`
}

// Validate is called by the parser.
func (c *mcpCommand) Validate() error { return c.Own.flags().Check() }

// Run answers the client until standard input or ctx ends.
func (c *mcpCommand) Run(ctx context.Context, call *kong.Context, out output) (err error) {
	if term.IsTerminal(int(os.Stdin.Fd())) {
		fmt.Fprintln(out.Stderr, `transcriptd mcp: an MCP client writes its messages here; put this command into the client's settings ("transcriptd mcp --help"), or end it with Ctrl-D.`)
	}
	local := &localTransport{ctx: ctx, choose: func(serving context.Context, log *slog.Logger, _ bool) (service.Setup, error) {
		return c.Own.setup(serving, log)
	}}
	defer func() { err = errors.Join(err, local.close()) }()
	if err := local.open(configures(call), out.Stderr); err != nil {
		return err
	}
	bridge := &mcpstdio.Bridge{URL: "http://localhost/mcp", Transport: local, LastAnswers: time.Second}
	return bridge.Run(ctx, os.Stdin, out.Stdout)
}

// localTransport sends requests to "transcriptd serve" on this machine as long as that service
// runs. If it does not run, or has ended, the requests go to the service of the calls of one user.
type localTransport struct {
	ctx    context.Context // of the command
	choose chooser

	mu  sync.Mutex
	own *ownService // nil if "transcriptd serve" answers
}

// open finds or starts the service.
func (l *localTransport) open(configured bool, stderr io.Writer) error {
	if _, err := localservice.Find(); err == nil && !configured {
		return nil
	}
	own, err := l.service()
	if err == nil && configured && own.shared() {
		fmt.Fprintln(stderr, "Another call runs the service, with its own recognizer and links: the flags of this call for them have no effect.")
	}
	return err
}

// RoundTrip is called by the bridge.
func (l *localTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if at, runs := l.served(); runs {
		return roundTrip(r, at)
	}
	own, err := l.service()
	if err != nil {
		return nil, mcpstdio.Final{Err: err}
	}
	at, err := own.reach(r.Context())
	if err != nil {
		return nil, mcpstdio.Final{Err: err}
	}
	return roundTrip(r, at)
}

// served returns "transcriptd serve", unless a request has gone to the other service before: the
// two services know different jobs.
func (l *localTransport) served() (at localservice.Service, runs bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.own != nil {
		return at, false
	}
	at, err := localservice.Find()
	return at, err == nil
}

// service returns the service of the calls of one user, and finds or starts it the first time.
func (l *localTransport) service() (*ownService, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.own == nil {
		own, err := openOwnService(l.ctx, l.choose)
		if err != nil {
			return nil, err
		}
		l.own = own
	}
	return l.own, nil
}

func (l *localTransport) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.own == nil {
		return nil
	}
	return l.own.close()
}
