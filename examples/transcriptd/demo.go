package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/internal/progress"
	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

type demoCommand struct {
	URL       string             `verb:"" placeholder:"LINK" help:"Your own link instead of a link to the demo's own site."`
	Recording string             `verb:"" default:"examples/testdata/dialog.ogg" placeholder:"PATH" help:"The recording, English (${default})."`
	YtDlp     service.Executable `name:"yt-dlp" default:"${ytdlp}" placeholder:"PATH" help:"The program that reads links (${default})."`
	service.ModelsFlag
	service.RecognizersFlag
}

// Run starts a service for a link and a recording, and removes it again.
func (c *demoCommand) Run(ctx context.Context, out output) error {
	if _, err := os.Stat(c.Recording); err != nil {
		return fmt.Errorf("there is no recording %s: run the demo where the repository is checked out, or name a recording with --recording", c.Recording)
	}
	if _, err := exec.LookPath(string(c.YtDlp)); err != nil {
		return fmt.Errorf("there is no program %s to read links with: install yt-dlp, or name it with --yt-dlp", c.YtDlp)
	}
	dir, err := os.MkdirTemp("", "transcriptd-demo-")
	if err != nil {
		return err
	}
	return errors.Join(c.demonstrate(ctx, out, dir), os.RemoveAll(dir))
}

func (c *demoCommand) demonstrate(ctx context.Context, out output, dir string) error {
	level := slog.LevelError
	if c.URL != "" {
		level = slog.LevelWarn // the site's reasons to refuse a link
	}
	log := slog.New(slog.NewTextHandler(out.Stderr, &slog.HandlerOptions{Level: level}))
	asr, err := untold(ctx, c.ModelsFlag, c.RecognizersFlag)
	if err != nil {
		return err
	}
	setup := passing(dir, asr, log)
	setup.YtDlp = c.YtDlp
	link := c.URL
	if link == "" {
		site, err := service.ServeTalks(ctx, "127.0.0.1:0")
		if err != nil {
			return err
		}
		defer site.Close() //nolint:errcheck // nothing is written to it
		if err := setup.Include(site); err != nil {
			return err
		}
		link = site.Link()
	}
	s, err := startService(ctx, setup, part{role: server.RoleAll})
	if err != nil {
		return err
	}
	return errors.Join(c.visit(ctx, out.Stdout, s, link, asr), s.stop())
}

// passing returns a setup in a temporary folder.
func passing(dir string, speech service.Choice, log *slog.Logger) service.Setup {
	return service.Setup{Speech: speech, Log: log, Flags: service.Flags{
		DatabaseFlag: service.DatabaseFlag{DB: service.Database("sqlite:" + filepath.Join(dir, "service.db"))},
		BlobsFlag:    service.BlobsFlag{Blobs: service.BlobPlace(filepath.Join(dir, "blobs"))},
		Listen:       "127.0.0.1:0",
		LinkFlags:    service.LinkFlags{YtDlp: service.Executable(service.YtDlp())},
	}}
}

// wordsWrong returns the word error rates: those of PocketSphinx and tiny.en that make wer has
// measured, and those of the other two that the publisher has measured.
const wordsWrong = "Of 100 words of clear real speech, pocketsphinx gets 37 wrong, whisper-cli tiny 8, faster-whisper tiny.en 6, and whisper-cli small 3."

// visit shows what a customer of the service sees.
func (c *demoCommand) visit(ctx context.Context, out io.Writer, s *running, link string, asr service.Choice) error {
	heardBy, err := asr.Describe()
	if err != nil {
		return err
	}
	key, err := demoKey(ctx, s.accounts)
	if err != nil {
		return err
	}
	customer, err := client.New("http://"+s.addr(), client.WithAPIKey(key))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "A service listens on %s, with an account and a key.\n", s.addr())
	fmt.Fprintf(out, "Links are read by %s\n", c.reader(ctx))
	fmt.Fprintf(out, "\nA link: %s\n", link)
	if err := show(ctx, out, customer, transcript.URL(link)); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nSpeech is recognized by %s\n", heardBy)
	fmt.Fprintln(out, wordsWrong)
	if asr.ASR.Model == "" {
		fmt.Fprintln(out, "To see a better one here: make demo MODEL=small")
	}
	if asr.ASR.Name != service.ASRNone {
		fmt.Fprintf(out, "\nA recording: %s\n", c.Recording)
		if err := show(ctx, out, customer, transcript.File(c.Recording)); err != nil {
			return err
		}
	}
	fmt.Fprintln(out, "\nStart the service for real: go run ./examples/transcriptd serve")
	return nil
}

// reader describes the program that reads links: its version, its origin and its place.
func (c *demoCommand) reader(ctx context.Context) string {
	path, err := exec.LookPath(string(c.YtDlp))
	if err != nil {
		path = string(c.YtDlp) // the program was there when the demo began; reading the link reports the error
	}
	text := fmt.Sprintf("yt-dlp %s, %s: %s", programVersion(ctx, path, "--version"), service.YtDlpOrigin(string(c.YtDlp)), path)
	if service.YtDlpOrigin(string(c.YtDlp)) == service.OfSystem {
		text += "\nMany sites refuse old releases. For a current one: " + service.YtDlpCure(string(c.YtDlp))
	}
	return text
}

// show asks for a transcript twice: the second answer comes from the cache.
func show(ctx context.Context, out io.Writer, c *client.Client, source transcript.Source) error {
	began := time.Now()
	result, err := follow(ctx, out, c, source)
	if err != nil {
		return err
	}
	how := "Captions were read"
	if result.Transcript.Source == transcript.OriginASR {
		how = "Speech was recognized"
	}
	if result.NothingHeard {
		how = "Nothing was heard and the text is empty"
	}
	fmt.Fprintf(out, "\n%s\n", format.AppendText(nil, format.NameSpeakers(result.Transcript.Segments), true))
	fmt.Fprintf(out, "%s, in %s.\n", how, roundly(time.Since(began)))
	if d := result.Diarizer; d != nil {
		fmt.Fprintf(out, "%s told the speakers apart.\n", d.Name)
	}

	began = time.Now()
	again, err := c.Transcripts.Get(ctx, transcript.Request{Source: source})
	if err != nil {
		return err
	}
	if !again.Cached {
		return errors.New("the second answer did not come from the cache")
	}
	fmt.Fprintf(out, "Asked once more, the answer came from the cache, in %s.\n", roundly(time.Since(began)))
	return nil
}

// demoKey makes an account and returns its key.
func demoKey(ctx context.Context, accounts *account.Accounts) (string, error) {
	if _, err := accounts.Set(ctx, "demo", account.Settings{}); err != nil {
		return "", err
	}
	_, key, err := accounts.CreateKey(ctx, account.KeyParams{Account: "demo", Name: "demo", Scopes: account.Scopes()})
	return key, err
}

// follow sends the source and follows the job to its end.
func follow(ctx context.Context, out io.Writer, c *client.Client, source transcript.Source) (*transcript.Result, error) {
	atOnce := time.Duration(0) // so that there is progress to show
	result, job, err := c.Transcripts.Submit(ctx, transcript.Request{Source: source, Wait: &atOnce})
	if err != nil || result != nil {
		return result, err
	}
	p := progress.New(out)
	defer p.Done()
	line := p.Line("")
	for event, err := range c.Jobs.Events(ctx, job.JobID) {
		if err != nil {
			return nil, err
		}
		line.Event(event)
	}
	return c.Jobs.Wait(ctx, job.JobID) // the result, or the reason why there is none
}

func roundly(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(100 * time.Millisecond)
}
