// Website is a website for people around the service: they paste a link or drop a file,
// watch the work, and read, search, keep and download what was said.
//
//	go run ./examples/website
//
// It is one program that embeds package server with an Authenticator of its own: its
// pages reach the API as the people who use them, by their sessions, while programs
// reach the same API under /v1 by keys.
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

	"github.com/transcriptkit/transcriptkit/examples/internal/progress"
	"github.com/transcriptkit/transcriptkit/examples/internal/service"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// commands is the command line.
type commands struct {
	Serve serveCommand `cmd:"" default:"withargs" help:"Serve the website until SIGTERM or SIGINT. The default."`
	Users usersCommand `cmd:"" help:"Add, list and remove those who sign in, and set their passwords."`
}

// output is where a command writes: results to Stdout, all else to Stderr; and where it
// asks.
type output struct {
	Stdin          *os.File
	Stdout, Stderr io.Writer
}

// run does what the arguments ask for and returns the exit code: 1 when something did
// not work, 2 when the call was wrong.
func run(ctx context.Context, args []string, stdin *os.File, stdout, stderr io.Writer) int {
	line := service.CommandLine{
		Program: "website", About: "A website that turns links and recordings into timestamped transcripts.",
		Vars: vars(), Stdout: stdout, Stderr: stderr,
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

// vars are what the texts of flags name.
func vars() kong.Vars { return service.Vars("website", "127.0.0.1:8082", "0s") }

// fail reports an error in one line.
func fail(stderr io.Writer, code int, err error) int {
	fmt.Fprintln(stderr, "website:", progress.OneLine(err.Error()))
	return code
}
