package transcribe

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/internal/commandline"
	"github.com/transcriptkit/transcriptkit/examples/internal/localservice"
	"github.com/transcriptkit/transcriptkit/examples/internal/plain"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Flags are the flags and arguments of the command, also as a command of another program. The
// tag "verb" tells that program that no environment variable sets the flag.
type Flags struct {
	Server     string           `verb:"" placeholder:"URL" help:"The address of the service. Default: $$TRANSCRIBE_SERVER, else ${server}."`
	KeyFile    string           `verb:"" placeholder:"FILE" help:"A file with the API key. Default: the key in $$TRANSCRIBE_KEY."`
	Language   []string         `verb:"" short:"l" placeholder:"LIST" help:"Priority list of languages: en,de for captions, asr-en for speech recognition."`
	Format     string           `verb:"" short:"f" enum:",txt,srt,vtt,json,md,docx,html,csv,zip" default:"" placeholder:"FORMAT" help:"txt: a line for each segment; srt, vtt: subtitles; json: the whole transcript; md: for notes; docx: for word processors; html: to print, also as PDF; csv, zip: of links. Default: by the name of --output, as in talk.srt, else txt."`
	Timestamps bool             `verb:"" negatable:"" default:"true" help:"Times in txt and md."`
	Output     string           `verb:"" short:"o" placeholder:"PATH" help:"Write to this file, or into this folder (one that exists, or PATH/), instead of standard output."`
	Job        []string         `verb:"" sep:"none" placeholder:"ID" help:"Continue with an earlier job or batch. An interruption leaves it running."`
	From       []string         `verb:"" short:"a" sep:"none" placeholder:"FILE" help:"Read more links and file names from this file, one a line; - reads the list from standard input."`
	Playlist   []string         `verb:"" sep:"none" placeholder:"LINK" help:"A playlist, also if the link names a video too."`
	Channel    []string         `verb:"" sep:"none" placeholder:"LINK" help:"A channel: its id, @handle or link."`
	MaxItems   int              `verb:"" placeholder:"N" help:"Only the first N items of a batch, 1 to 500."`
	Watch      string           `verb:"" placeholder:"FOLDER" help:"Transcribe the recordings in this folder and all that come, and write each text next to its recording. The program looks every 2 seconds, waits until a file is whole, goes on where it was after an end, and transcribes each recording once."`
	KeepMedia  commandline.Days `verb:"" placeholder:"TIME" help:"Have the service keep each recording, for days as in 30d or for a time as in 36h. Its text says until when. Links have no recording."`
	Listening
	Name    []string `verb:"" sep:"none" placeholder:"PATTERN" help:"Only recordings with such a name, as in 'talk-*.mp3' (--watch)."`
	Quiet   bool     `verb:"" short:"q" help:"Print only errors."`
	Sources []string `arg:"" optional:"" name:"link|file|-" words:"search: Search the saved texts; follow: Follow a channel, a playlist or a feed" help:"Links, ids of videos, playlists, channels, recordings; - is a recording on standard input; search WORDS looks for words in the saved texts, and follow LINK makes a text of each new item of a channel, a playlist or a feed."`
}

// command is the command line.
type command struct {
	Flags
	Completion string           `enum:",bash,zsh,fish" default:"" placeholder:"SHELL" help:"Print the completion code for bash, zsh or fish."`
	Version    kong.VersionFlag `help:"Print the version."`

	formatOption string               // the option that chose the format, for messages
	heardAs      transcript.Listening // what Listening says
}

const description = `Turns links, playlists, channels and recordings into text.

    transcribe https://youtu.be/dQw4w9WgXcQ
    transcribe talk.mp3 > talk.txt
    transcribe --format srt --output talks/ first.mp3 second.mp3
    transcribe --watch recordings/
    transcribe search moon landing
    transcribe follow https://example.com/podcast.xml

What is followed: follow list, follow history ID, follow pause ID, follow resume
ID, follow remove ID, and follow import FILE for an OPML file or a CSV of
subscriptions. --max-items N also takes the newest N items that are there.
`

const exitCodes = `
Exit codes: 0 all texts were written, 1 something failed, 2 the command line is
wrong and nothing was begun, 129 hung up and the work goes on, 130 interrupted.
An interruption is the usual end of --watch, with the code 0 or 1.
`

// defaultServer is transcriptd's default address.
const defaultServer = "http://127.0.0.1:8080"

// parse reads the command line. If it asks for help, the version or completion, parse prints
// that at once.
func parse(args []string, stdout, stderr io.Writer) (cmd *command, answered bool, err error) {
	cmd = &command{}
	parser, err := kong.New(cmd,
		kong.Name("transcribe"),
		kong.Description(description),
		kong.Vars{"version": "transcribe " + version(), "server": "the service of transcriptd serve on this machine, else " + defaultServer},
		kong.Help(help),
		plain.AsIs(),
		kong.ConfigureHelp(kong.HelpOptions{WrapUpperBound: 80}),
		kong.Writers(stdout, stderr),
		kong.Exit(func(int) { answered = true }), // called after --help and --version
	)
	if err != nil {
		return nil, false, err
	}
	if slices.Equal(args, []string{"--man"}) { // for the packages of a release
		return nil, true, commandline.ManualPage{End: exitCodes}.Write(stdout, parser.Model)
	}
	_, err = parser.Parse(args)
	switch {
	case answered:
		return nil, true, nil
	case err != nil && strings.HasPrefix(err.Error(), "unexpected argument"):
		return nil, false, fmt.Errorf("%w: flags stand before or after all arguments, and not between them", err)
	case err != nil:
		return nil, false, errors.New(plain.Call(err))
	}
	if cmd.Completion != "" {
		return nil, true, commandline.WriteCompletion(stdout, cmd.Completion, parser.Model, "")
	}
	return cmd, false, cmd.check()
}

func help(options kong.HelpOptions, ctx *kong.Context) error {
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
		return err
	}
	_, err := io.WriteString(ctx.Stdout, exitCodes)
	return err
}

// check chooses the format, and refuses wrong and contradictory flags.
func (cmd *command) check() error {
	cmd.chooseFormat()
	if len(cmd.Language) > 0 {
		if _, err := transcript.ParseLanguageList(strings.Join(cmd.Language, ",")); err != nil {
			return fmt.Errorf("--language: %w", err)
		}
	}
	var err error
	if cmd.heardAs, err = cmd.listening(); err != nil {
		return err
	}
	switch {
	case cmd.listens() && (cmd.searches() || cmd.followsSomething()):
		return errNotOneRecording
	case cmd.Format == "pdf":
		return fmt.Errorf("%s: no PDF is written: write a page, as in talk.html, and let a browser print it as PDF", cmd.formatOption)
	case !cmd.Timestamps && cmd.Format != "txt" && !cmd.isDocument():
		return fmt.Errorf("--no-timestamps is for txt, md, docx and html: %s is made of times", cmd.Format)
	case cmd.MaxItems < 0 || cmd.MaxItems > mostItems:
		return fmt.Errorf("--max-items: must be from 1 to %d", mostItems)
	case cmd.searches():
		return cmd.checkSearch()
	case cmd.followsSomething():
		return cmd.checkFollow()
	}
	return cmd.checkWatch()
}

// formats are the formats that the name of a file can choose.
var formats = []string{"txt", "srt", "vtt", "json", "md", "docx", "html", "csv", "zip"}

// isDocument reports whether the format has a head with what is known about the recording.
func (cmd *command) isDocument() bool {
	return cmd.Format == "md" || cmd.Format == "docx" || cmd.Format == "html"
}

// chooseFormat takes the format from --format, or from the name of the output file, or is txt.
func (cmd *command) chooseFormat() {
	cmd.formatOption = "--format " + cmd.Format
	if cmd.Format != "" {
		return
	}
	cmd.Format = "txt"
	named := extensionOf(cmd.Output)
	if st, err := os.Stat(cmd.Output); err == nil && st.IsDir() {
		return
	}
	if slices.Contains(formats, named) || named == "pdf" {
		cmd.Format, cmd.formatOption = named, "--output "+cmd.Output
	}
}

// version returns the version of the module, as recorded in the build.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(devel)"
	}
	return cmp.Or(info.Main.Version, "(devel)")
}

// client returns a client for the service with the caller's key, or without a key if the
// service needs none.
func (cmd *command) client(getenv func(string) string) (*client.Client, error) {
	if !cmd.namesService(getenv) {
		if local, err := localservice.Find(); err == nil {
			return newClient(local.URL, client.WithAPIKey(local.Key))
		}
	}
	key, keyFrom := getenv("TRANSCRIBE_KEY"), "TRANSCRIBE_KEY"
	if cmd.KeyFile != "" {
		keyFrom = "--key-file " + cmd.KeyFile
		data, err := os.ReadFile(cmd.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("--key-file: %w", err)
		}
		if key = strings.TrimSpace(string(data)); key == "" {
			return nil, fmt.Errorf("--key-file: %s holds no key: write the key into it", cmd.KeyFile)
		}
	}
	server, from := cmd.Server, "--server"
	if server == "" {
		server, from = cmp.Or(getenv("TRANSCRIBE_SERVER"), defaultServer), "TRANSCRIBE_SERVER"
	}
	c, err := newClient(server)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	if key == "" {
		return c, nil
	}
	if c, err = newClient(server, client.WithAPIKey(key)); err != nil {
		return nil, fmt.Errorf("%s: %w", keyFrom, err)
	}
	return c, nil
}

// namesService reports whether the caller says which service to use, or with which key.
func (f *Flags) namesService(getenv func(string) string) bool {
	return cmp.Or(f.Server, f.KeyFile, getenv("TRANSCRIBE_SERVER"), getenv("TRANSCRIBE_KEY")) != ""
}

func newClient(server string, opts ...client.Option) (*client.Client, error) {
	return client.New(server, append(opts, client.WithUserAgent(userAgent), client.WithHTTPClient(&http.Client{Transport: transport()}))...)
}

const userAgent = "transcribe"

// transport notices within seconds that the other end of a connection is gone, even without a
// message.
func transport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // it is one
	t.DialContext = (&net.Dialer{
		Timeout:         10 * time.Second,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 5 * time.Second, Interval: 5 * time.Second, Count: 2},
	}).DialContext
	t.HTTP2 = &http.HTTP2Config{SendPingTimeout: 10 * time.Second, PingTimeout: 5 * time.Second}
	return t
}
