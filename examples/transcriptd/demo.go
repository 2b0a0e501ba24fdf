package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

type demoCommand struct {
	File string `default:"examples/testdata/talk.ogg" placeholder:"PATH" help:"The recording, English (${default})."`
}

// Run starts a service for one recording and throws it away again.
func (c *demoCommand) Run(ctx context.Context, out output) error {
	if _, err := os.Stat(c.File); err != nil {
		return fmt.Errorf("no recording to show: %w (run it where the repository is checked out, or name a recording with --file)", err)
	}
	dir, err := os.MkdirTemp("", "transcriptd-demo-")
	if err != nil {
		return err
	}
	err = demonstrate(ctx, out, dir, c.File)
	return errors.Join(err, os.RemoveAll(dir))
}

func demonstrate(ctx context.Context, out output, dir, file string) error {
	log := slog.New(slog.NewTextHandler(out.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	s, err := startService(ctx, serviceOptions{
		listen: "127.0.0.1:0",
		store:  store.Options{Database: "sqlite:" + filepath.Join(dir, "demo.db"), Blobs: filepath.Join(dir, "blobs"), Log: log},
		asr:    asrPocketsphinx,
		log:    log,
	})
	if err != nil {
		return err
	}
	err = visit(ctx, out.Stdout, s, file)
	return errors.Join(err, s.stop())
}

// visit is what a customer of the service sees.
func visit(ctx context.Context, out io.Writer, s *service, file string) error {
	key, err := demoKey(ctx, s.store)
	if err != nil {
		return err
	}
	c, err := client.New("http://"+s.addr(), client.WithAPIKey(key))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "A service listens on %s, with an account and a key.\nUploading %s\n", s.addr(), file)
	began := time.Now()
	result, err := transcribe(ctx, out, c, file)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%s\n", format.AppendText(nil, result.Transcript.Segments, true))
	fmt.Fprintf(out, "%s of speech took %s.\n", *result.LengthText, roundly(time.Since(began)))

	fmt.Fprintln(out, "Uploading it again")
	began = time.Now()
	again, err := c.Transcripts.Get(ctx, transcript.Request{Source: transcript.File(file)})
	if err != nil {
		return err
	}
	if !again.Cached {
		return errors.New("the second answer did not come from the cache")
	}
	fmt.Fprintf(out, "The answer came from the cache, in %s.\n\n", roundly(time.Since(began)))
	fmt.Fprintln(out, "Start the service for real: go run ./examples/transcriptd serve")
	return nil
}

// demoKey makes an account and returns a key of it.
func demoKey(ctx context.Context, s *store.Store) (string, error) {
	accounts := account.New(s, account.DefaultPlans())
	if _, err := accounts.Set(ctx, "demo", account.Settings{}); err != nil {
		return "", err
	}
	_, key, err := accounts.CreateKey(ctx, account.KeyParams{Account: "demo", Name: "demo", Scopes: account.Scopes()})
	return key, err
}

// transcribe uploads the file and follows its job to the end.
func transcribe(ctx context.Context, out io.Writer, c *client.Client, file string) (*transcript.Result, error) {
	atOnce := time.Duration(0) // so that there is something to watch
	result, job, err := c.Transcripts.Submit(ctx, transcript.Request{Source: transcript.File(file), Wait: &atOnce})
	if err != nil || result != nil {
		return result, err
	}
	p := newProgress(out)
	for event, err := range c.Jobs.Events(ctx, job.JobID) {
		if err != nil {
			return nil, err
		}
		p.show(event.Job)
	}
	p.done()
	return c.Jobs.Wait(ctx, job.JobID) // the result, or why there is none
}

func roundly(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(100 * time.Millisecond)
}
