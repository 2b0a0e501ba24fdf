// Transcribe turns a link or a recording into text, with a running transcript
// service.
//
//	export TRANSCRIBE_KEY=tr_…
//	transcribe --server https://transcripts.example talk.mp3 > talk.txt
//	transcribe --language de,en https://youtu.be/dQw4w9WgXcQ
//
// The text goes to standard output (or --out) and everything else to standard
// error: a progress bar on a terminal, plain lines elsewhere. The argument is a
// file, a link, or the id of a video (write --, if it begins with a dash). A
// file that exists is the file, whatever else its name could mean.
//
// Exit codes: 0 the text was written, 1 it was not, 2 the command line is wrong,
// 130 interrupted; the job is cancelled on the service then.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/transcriptkit/transcriptkit/client"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
}

const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// command is the command line.
type command struct {
	Server   string   `default:"http://127.0.0.1:8080" placeholder:"URL" help:"The service (${default})."`
	KeyFile  string   `placeholder:"FILE" help:"Holds the API key. Without it the environment variable TRANSCRIBE_KEY does."`
	Language []string `placeholder:"LIST" help:"Priority list of languages: en,de for captions, asr-en to have it recognized."`
	Format   string   `enum:"txt,json" default:"txt" help:"txt: a line for each segment, with its time; json: the whole transcript."`
	Out      string   `placeholder:"FILE" help:"Write there instead of standard output."`
	Source   string   `arg:"" name:"link|file" help:"A link, the id of a video, or a recording."`
}

// run does what the arguments ask for and returns the exit code. The end of ctx
// is an interruption.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	var cmd command
	helped := false
	parser, err := kong.New(&cmd,
		kong.Name("transcribe"),
		kong.Description("Turns a link or a recording into text."),
		kong.Writers(stdout, stderr),
		kong.Exit(func(int) { helped = true }), // called after --help was printed
	)
	if err != nil {
		return fail(stderr, exitFailure, err)
	}
	_, err = parser.Parse(args)
	if helped {
		return exitOK
	}
	if err != nil {
		return fail(stderr, exitUsage, err)
	}
	c, err := cmd.client(getenv)
	if err != nil {
		return fail(stderr, exitUsage, err)
	}
	text, err := cmd.transcribe(ctx, c, stderr)
	switch {
	case err != nil && ctx.Err() != nil:
		return fail(stderr, exitInterrupted, errors.New("interrupted"))
	case err != nil:
		return fail(stderr, exitFailure, err)
	}
	if err := cmd.write(text, stdout); err != nil {
		return fail(stderr, exitFailure, err)
	}
	return exitOK
}

// client is a client for the service with the caller's key. A service that wants
// none gets none.
func (cmd *command) client(getenv func(string) string) (*client.Client, error) {
	key := getenv("TRANSCRIBE_KEY")
	if cmd.KeyFile != "" {
		data, err := os.ReadFile(cmd.KeyFile)
		if err != nil {
			return nil, err
		}
		if key = strings.TrimSpace(string(data)); key == "" {
			return nil, fmt.Errorf("%s holds no key", cmd.KeyFile)
		}
	}
	opts := []client.Option{client.WithUserAgent("transcribe")}
	if key != "" {
		opts = append(opts, client.WithAPIKey(key))
	}
	return client.New(cmd.Server, opts...)
}

func (cmd *command) write(text []byte, stdout io.Writer) error {
	if cmd.Out != "" {
		return os.WriteFile(cmd.Out, text, 0o666) //nolint:gosec // a text like any other, for the umask to judge
	}
	_, err := stdout.Write(text)
	return err
}

// fail reports an error in one line, and what can be done about it where the error
// does not say so itself.
func fail(stderr io.Writer, code int, err error) int {
	fmt.Fprintln(stderr, "transcribe:", strings.Join(strings.Fields(err.Error()), " "))
	var refused *client.Error
	if errors.As(err, &refused) {
		switch refused.Slug {
		case "unauthorized":
			fmt.Fprintln(stderr, "The service wants a key: --key-file or TRANSCRIBE_KEY.")
		case "invalid_credential":
			fmt.Fprintln(stderr, "The service does not take this key: it is another service's, has expired or is revoked.")
		}
	}
	return code
}
