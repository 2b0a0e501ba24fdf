package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/internal/progress"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

// cancelTimeout is how long the canceling of a job may take after an interruption.
const cancelTimeout = 5 * time.Second

// transcribe returns the text of the source in the wanted format, and shows on
// stderr how far it has come.
func (cmd *command) transcribe(ctx context.Context, c *client.Client, source transcript.Source, stderr io.Writer) ([]byte, error) {
	p := progress.New(stderr)
	result, err := resultOf(ctx, c, source, cmd.Language, p.Line(""))
	p.Done()
	if said := cancelled(ctx, c, err); said != "" {
		fmt.Fprintln(stderr, said)
	}
	if err == nil && result.Cached {
		fmt.Fprintln(stderr, "The service knew this text already.")
	}
	return cmd.render(result, err)
}

// cancelled cancels the job of a caller who has gone, and says what came of it.
func cancelled(ctx context.Context, c *client.Client, err error) string {
	var unfinished *client.WaitError
	if ctx.Err() == nil || !errors.As(err, &unfinished) {
		return ""
	}
	return cancel(ctx, c, unfinished.Job.JobID)
}

// render writes a text in the wanted format, unless there is none for err.
func (cmd *command) render(result *transcript.Result, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	switch cmd.Format {
	case "json":
		text, err := json.MarshalIndent(result.Transcript, "", "  ")
		return append(text, '\n'), err
	case "srt":
		return format.AppendSRT(nil, result.Transcript.Segments), nil
	case "vtt":
		return format.AppendVTT(nil, result.Transcript.Segments), nil
	}
	text := format.AppendText(nil, result.Transcript.Segments, true)
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	return text, nil
}

func resultOf(ctx context.Context, c *client.Client, source transcript.Source, language []string, line *progress.Line) (*transcript.Result, error) {
	atOnce := time.Duration(0) // so that there is something to watch, and to cancel
	request := transcript.Request{Source: source, Language: language, Wait: &atOnce}
	result, job, err := c.Transcripts.Submit(ctx, request, client.WithUploadProgress(func(sent, total int64) { line.Bytes("sending", sent, total) }))
	if err != nil || result != nil {
		return result, err
	}
	for event, err := range c.Jobs.Events(ctx, job.JobID) {
		if err != nil {
			break // the wait below says what is wrong, or does without the display
		}
		line.Job(event.Job)
	}
	return c.Jobs.Wait(ctx, job.JobID)
}

// source is what an argument means.
func source(argument string) transcript.Source {
	if kindOf(argument) == isFile {
		return transcript.File(argument)
	}
	return transcript.URL(argument)
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
