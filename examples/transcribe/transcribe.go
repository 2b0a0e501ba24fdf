package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/internal/progress"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// cancelTimeout is how long the canceling of a job may take after an interruption.
const cancelTimeout = 5 * time.Second

// transcribe returns the text of the source in the wanted format, and shows on
// stderr how far it has come.
func (cmd *command) transcribe(ctx context.Context, c *client.Client, stderr io.Writer) ([]byte, error) {
	p := progress.New(stderr)
	result, err := cmd.result(ctx, c, p)
	p.Done()
	var unfinished *client.WaitError
	if ctx.Err() != nil && errors.As(err, &unfinished) {
		fmt.Fprintln(stderr, cancel(ctx, c, unfinished.Job.JobID))
	}
	if err != nil {
		return nil, err
	}
	if result.Cached {
		fmt.Fprintln(stderr, "The service knew this text already.")
	}
	if cmd.Format == "json" {
		text, err := json.MarshalIndent(result.Transcript, "", "  ")
		return append(text, '\n'), err
	}
	text := format.AppendText(nil, result.Transcript.Segments, true)
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	return text, nil
}

func (cmd *command) result(ctx context.Context, c *client.Client, p *progress.Display) (*transcript.Result, error) {
	atOnce := time.Duration(0) // so that there is something to watch, and to cancel
	request := transcript.Request{Source: source(cmd.Source), Language: cmd.Language, Wait: &atOnce}
	result, job, err := c.Transcripts.Submit(ctx, request, client.WithUploadProgress(p.Uploaded))
	if err != nil || result != nil {
		return result, err
	}
	for event, err := range c.Jobs.Events(ctx, job.JobID) {
		if err != nil {
			break // the wait below says what is wrong, or does without the display
		}
		p.Job(event.Job)
	}
	return c.Jobs.Wait(ctx, job.JobID)
}

// source takes what exists for a file, and of all else what has a scheme or means
// something on the public sites for a link. The rest is the name of a file that
// is not there.
func source(argument string) transcript.Source {
	if st, err := os.Stat(argument); err == nil && !st.IsDir() {
		return transcript.File(argument)
	}
	if _, err := site.Default().Detect(argument); err == nil || strings.Contains(argument, "://") {
		return transcript.URL(argument)
	}
	return transcript.File(argument)
}

// cancel ends the job of a caller who has gone, and says what came of it.
func cancel(ctx context.Context, c *client.Client, id string) string {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelTimeout)
	defer stop()
	switch _, err := c.Jobs.Cancel(ctx, id); {
	case err == nil:
		return fmt.Sprintf("The job %s was cancelled.", id)
	case errors.Is(err, transcript.StateConflict):
		return fmt.Sprintf("The job %s had ended already.", id)
	default:
		return fmt.Sprintf("The job %s goes on: it could not be cancelled: %v", id, err)
	}
}
