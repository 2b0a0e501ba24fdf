// Transcribe turns links, playlists, channels and recordings into text, with a running
// transcript service.
//
//	export TRANSCRIBE_KEY=tr_…
//	transcribe --server https://transcripts.example talk.mp3 > talk.txt
//	transcribe --language de,en https://youtu.be/dQw4w9WgXcQ
//	transcribe --format zip --out talks.zip --from links.txt
//	transcribe --format srt --out talks/ --playlist PL… first.mp3 second.mp3
//
// The text goes to standard output (or --out) and everything else to standard
// error: a progress bar on a terminal, or a line for each item that runs, and plain
// lines elsewhere. An argument is a file, a link to a content, a playlist or a channel,
// or the id of a video (write --, if it begins with a dash). A file that exists is the
// file, whatever else its name could mean. Several links are one batch on the service,
// each playlist and channel another; recordings are sent beside them. Several results
// need a folder to be written to.
//
// Exit codes: 0 all texts were written, 1 something failed, 2 the command line is wrong,
// 130 interrupted; jobs and batches are cancelled on the service then.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
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
	Format   string   `enum:"txt,json,srt,vtt,csv,zip" default:"txt" help:"txt: a line for each segment, with its time; json: the whole transcript; srt, vtt: subtitles; csv, zip: of links."`
	Out      string   `placeholder:"PATH" help:"Write to this file, or into this folder (one that exists, or PATH/), instead of standard output."`
	From     []string `sep:"none" placeholder:"FILE" help:"Read more links and files from it, one a line; - is standard input."`
	Playlist []string `sep:"none" placeholder:"LINK" help:"A playlist: where a link names a video too, this one says what is meant."`
	Channel  []string `sep:"none" placeholder:"LINK" help:"A channel: its id, @handle or link."`
	MaxItems int      `placeholder:"N" help:"Only the first N items of a batch, 1 to 500."`
	Sources  []string `arg:"" optional:"" name:"link|file" help:"Links, ids of videos, playlists, channels, recordings."`
}

// run does what the arguments ask for and returns the exit code. The end of ctx
// is an interruption.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	return runWith(ctx, os.Stdin, args, getenv, stdout, stderr)
}

func runWith(ctx context.Context, stdin io.Reader, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	var cmd command
	helped := false
	parser, err := kong.New(&cmd,
		kong.Name("transcribe"),
		kong.Description("Turns links, playlists, channels and recordings into text."),
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
	o, err := cmd.order(stdin)
	if err != nil {
		return fail(stderr, exitUsage, err)
	}
	folder, err := cmd.folder()
	if err != nil {
		return fail(stderr, exitUsage, fmt.Errorf("--out: %w", err))
	}
	if !cmd.single(o) {
		return cmd.runMany(ctx, c, o, folder, stdout, stderr)
	}
	only := cmd.only(o)
	text, err := cmd.transcribe(ctx, c, source(only), stderr)
	switch {
	case err != nil && ctx.Err() != nil:
		return fail(stderr, exitInterrupted, errors.New("interrupted"))
	case err != nil:
		return fail(stderr, exitFailure, err)
	}
	if folder {
		cmd.Out = filepath.Join(cmd.Out, nameOf(only)+"."+cmd.Format)
	}
	if err := cmd.write(text, stdout); err != nil {
		return fail(stderr, exitFailure, err)
	}
	return exitOK
}

// runMany does what is more than one thing.
func (cmd *command) runMany(ctx context.Context, c *client.Client, o order, folder bool, stdout, stderr io.Writer) int {
	if len(o.files)+len(o.batches) > 1 && !folder {
		return fail(stderr, exitUsage, errors.New("there will be several results: --out needs a folder, as in --out texts/"))
	}
	failed, err := cmd.many(ctx, c, o, folder, stdout, stderr)
	switch {
	case ctx.Err() != nil:
		return fail(stderr, exitInterrupted, errors.New("interrupted"))
	case err != nil:
		return fail(stderr, exitFailure, err)
	}
	for _, why := range failed {
		fail(stderr, exitFailure, errors.New(why))
	}
	if len(failed) > 0 {
		return exitFailure
	}
	return exitOK
}

// only is the one thing that there is to do.
func (cmd *command) only(o order) string {
	if len(o.files) > 0 {
		return o.files[0]
	}
	return o.batches[0].URLs[0]
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
