// Transcriptd is the reference service: the whole server on one SQLite file or a PostgreSQL
// database, with the engines of this repository.
//
//	go run ./examples/transcriptd demo
//	go run ./examples/transcriptd transcribe talk.mp3
//	go run ./examples/transcriptd serve
//
// Every command describes itself with --help. Environment variables set defaults for
// flags; a flag on the command line overrides them. The program only connects adapters
// to package server and passes its flags on.
package main

//go:generate go test . -run "TestFlagsPage|TestMetricsAreWhatTheDashboardShows" -update

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"regexp"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/transcriptkit/transcriptkit/examples/internal/commandline"
	"github.com/transcriptkit/transcriptkit/examples/internal/plain"
	"github.com/transcriptkit/transcriptkit/examples/internal/progress"
	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/examples/internal/settings"
)

func main() { os.Exit(new(commands).run(untilSignal(), os.Args[1:], os.Stdout, os.Stderr)) }

// untilSignal returns a context that ends with the first signal. The second signal ends the process
// at once.
func untilSignal() context.Context {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx
}

// The exit codes.
const (
	exitOK       = iota
	exitFailure  // something did not work
	exitUsage    // the call was wrong
	exitDegraded // doctor: some features work less well, or not at all
)

// run executes the arguments and returns the exit code. It ends early if ctx does.
func (called *commands) run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	line := commandline.Program{
		Name: "transcriptd", About: "Turns links and recordings into timestamped transcripts.",
		Vars: vars(), Moved: settings.Moved(), Groups: service.Groups, Stdout: stdout, Stderr: stderr,
	}
	command, err := line.Parse(ctx, called, output{stdout, stderr}, args)
	switch {
	case err != nil:
		return fail(stderr, exitUsage, err)
	case command == nil:
		return exitOK
	}
	err = command.Run()
	var said exitCode
	switch usage := new(service.FlagError); {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		return fail(stderr, exitUsage, usage)
	case errors.As(err, &said):
		return int(said)
	}
	if command.Command() == "serve" && called.Serve.Log.Format == "json" {
		called.Serve.Log.Open(stderr, slog.LevelInfo).Error("ended", "err", oneLine(err))
		return exitFailure
	}
	return fail(stderr, exitFailure, err)
}

// vars returns the variables in the texts of flags.
func vars() kong.Vars {
	all := service.Vars("transcriptd", "127.0.0.1:8080", "5s")
	all["server"] = "transcriptd serve on this machine, else a service in this process" // of transcribe
	return all
}

// exitCode is the error of a command that has already printed everything.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// fail reports an error in one line.
func fail(stderr io.Writer, code int, err error) int {
	fmt.Fprintln(stderr, "transcriptd:", oneLine(err))
	return code
}

// codes are for callers of the API. The operator reads the sentence after the code.
var codes = regexp.MustCompile(`(^|: )(CONFIG_ERROR|UPGRADE_REQUIRED): `)

// oneLine puts an error into words, in one line.
func oneLine(err error) string {
	return codes.ReplaceAllString(progress.OneLine(plain.Words(err)), "$1")
}

// commands is the command line.
type commands struct {
	Transcribe transcribeCommand      `cmd:"" help:"Turn links and recordings into text. Needs no account, no key and no running service."`
	Serve      serveCommand           `cmd:"" help:"Run the service until SIGTERM or SIGINT."`
	MCP        mcpCommand             `cmd:"" name:"mcp" help:"Give transcripts to a language model: an MCP server on standard input and output. Needs no account, no key and no running service."`
	Demo       demoCommand            `cmd:"" help:"Show the service at work on a link and a recording, on a temporary database."`
	Accounts   accountsCommand        `cmd:"" help:"Set, list, export and remove accounts."`
	Keys       keysCommand            `cmd:"" help:"Create, list and revoke API keys."`
	Models     modelsCommand          `cmd:"" help:"Get a better recognizer: list, download, remove and verify models."`
	YtDlp      ytDlpCommand           `cmd:"" name:"yt-dlp" help:"Get a current yt-dlp, the program that reads links."`
	Doctor     doctorCommand          `cmd:"" help:"Examine everything that serve needs with these flags: what is present, missing or old, and how to repair it. Exit code 0: all is well, 3: some features are missing or work less well, 1: something is broken."`
	Health     healthcheckCommand     `cmd:"" name:"healthcheck" help:"Ask the running service on this machine whether it is ready. Exit code 0: it is, 1: it is not."`
	Backup     backupCommand          `cmd:"" help:"Copy the database and its blobs, as they stand at one moment, while the service works. Exit code 3: some blobs named in the database were missing."`
	Restore    restoreCommand         `cmd:"" help:"Fill an empty database and an empty place for blobs with a backup."`
	Verify     verifyCommand          `cmd:"" help:"Compare the database with its blobs, and the texts with the index of their words. Exit code 0: all is well, 3: there are blobs that nothing needs, 1: something is missing or damaged."`
	Migrate    migrateCommand         `cmd:"" help:"Update the database to this version. Serve does that too."`
	Completion commandline.Completion `cmd:"" help:"Print the code with which a shell completes this command line."`
	Versions   versionCommand         `cmd:"" name:"version" help:"Print the versions of the service, of Go and of the external programs."`

	Version kong.VersionFlag `verb:"" help:"Print the version of the service."`
}

// output is where a command writes: results to Stdout, everything else to Stderr.
type output struct{ Stdout, Stderr io.Writer }
