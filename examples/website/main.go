// Website is a website for the service: people paste a link or drop a file, watch the
// progress, and read, search, keep and download the text.
//
//	go run ./examples/website
//
// It is one program that embeds package server with its own Authenticator. Its pages
// call the API for the users, with sessions. Programs call the same API under /v1 with
// keys.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/transcriptkit/transcriptkit/examples/internal/commandline"
	"github.com/transcriptkit/transcriptkit/examples/internal/plain"
	"github.com/transcriptkit/transcriptkit/examples/internal/progress"
	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/examples/internal/settings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// commands is the command line.
type commands struct {
	Serve serveCommand `cmd:"" default:"withargs" help:"Serve the website until SIGTERM or SIGINT. The default."`
	Users usersCommand `cmd:"" help:"Add, list, change and remove users, and set their passwords."`

	Completion commandline.Completion `cmd:"" help:"Print the code with which a shell completes this command line."`

	Version kong.VersionFlag `verb:"" help:"Print the version of the website."`
}

// output is where a command writes and reads: results to Stdout, everything else to Stderr.
type output struct {
	Stdin          *os.File
	Stdout, Stderr io.Writer
}

// run carries out the arguments and returns the exit code: 1 after a failure, 2 if the call was
// wrong.
func run(ctx context.Context, args []string, stdin *os.File, stdout, stderr io.Writer) int {
	line := commandline.Program{
		Name: "website", About: "A website that turns links and recordings into timestamped transcripts.",
		Vars: vars(), Moved: settings.Moved(), Groups: service.Groups, Stdout: stdout, Stderr: stderr,
	}
	command, err := line.Parse(ctx, &commands{}, output{stdin, stdout, stderr}, args)
	switch {
	case err != nil:
		return fail(stderr, 2, err)
	case command == nil:
		return 0
	}
	err = command.Run()
	switch usage := new(service.FlagError); {
	case err == nil, errors.Is(err, context.Canceled):
		return 0
	case errors.As(err, &usage):
		return fail(stderr, 2, usage)
	}
	return fail(stderr, 1, err)
}

// vars returns the variables in the texts of flags.
func vars() kong.Vars { return service.Vars("website", "127.0.0.1:8082", "0s") }

// fail reports an error in one line.
func fail(stderr io.Writer, code int, err error) int {
	fmt.Fprintln(stderr, "website:", progress.OneLine(plain.Words(err)))
	return code
}
