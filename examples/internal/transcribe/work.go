package transcribe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/internal/progress"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	uploadsAtOnce = 2
	cancelTimeout = 5 * time.Second // for canceling after an interruption
)

// work carries out an order of one or many tasks.
type work struct {
	*command
	client  *client.Client
	order   order
	output  *output
	display *progress.Display
	own     bool      // the service ends with this call: see OwnService
	name    string    // of the command, in messages
	stderr  io.Writer // for failures, if there is no display
	colors  bool      // a terminal may show bold text
	pace    pace      // of --watch

	mu     sync.Mutex
	failed []error
}

// do returns the errors, each with the name of the failed task.
func (w *work) do(ctx context.Context) []error {
	defer w.display.Done()
	switch {
	case w.Watch != "":
		return failure(w.watchFolder(ctx))
	case w.order.search != "":
		return failure(w.search(ctx, w.order.search))
	case w.order.follow:
		return w.follow(ctx)
	}
	w.resolve(ctx)
	if err := w.mayExport(ctx); err != nil {
		return append(w.failed, err)
	}
	var batches, texts errgroup.Group
	texts.SetLimit(uploadsAtOnce)
	for _, s := range w.order.batches {
		batches.Go(func() error {
			w.batch(ctx, s)
			return nil
		})
	}
	for _, t := range w.order.texts {
		texts.Go(func() error {
			if err := w.text(ctx, t); err != nil {
				w.fail(t.name, err)
			}
			return nil
		})
	}
	_, _ = texts.Wait(), batches.Wait() // the errors are in w.failed
	return w.failed
}

// failure returns a list of the error, or nil.
func failure(err error) []error {
	if err == nil {
		return nil
	}
	return []error{err}
}

// complain tells a failure at once, while other work goes on.
func (w *work) complain(err error) {
	text := w.name + ": " + progress.OneLine(err.Error())
	if w.Quiet {
		fmt.Fprintln(w.stderr, text)
		return
	}
	w.display.Say(text)
}

func (w *work) fail(name string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failed = append(w.failed, fmt.Errorf("%s: %w", name, err))
}

// line begins the line of a task, without a name if it is the only task.
func (w *work) line(name string) *progress.Line {
	if w.order.results() == 1 {
		name = ""
	}
	return w.display.Line(name)
}

// tell writes a permanent line about a task, without a name if it is the only task.
func (w *work) tell(name, what string) {
	if w.Watch != "" || w.order.results() > 1 {
		what = name + ": " + what
	}
	w.display.Say(what)
}

// text makes one text and writes it to the output.
func (w *work) text(ctx context.Context, t text) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w before the work began", ending(ctx))
	}
	line := w.line(t.name)
	defer line.Done()
	if t.path != "" {
		file, err := lookAt(t.path)
		if err != nil {
			return err
		}
		t.recording, t.source = file, file.source()
	}
	result, err := w.result(ctx, t, line)
	if err != nil {
		return w.unfinished(ctx, t, err)
	}
	line.Done()
	if t.path != "" && t.recording.changed() {
		w.display.Say(fmt.Sprintf("A program has written to %s since it was sent: the text is of its first %d bytes.", t.name, t.recording.size))
	}
	if result.Cached {
		w.display.Say("The service knew this text already.")
	}
	switch r := result.Recognizer; {
	case len(result.Transcript.Segments) == 0:
		w.display.Say(fmt.Sprintf("Nothing was heard in %s: its text is empty.", t.name))
	case r != nil && r.Quality != nil:
		w.display.Say(fmt.Sprintf("%s was heard by %s, quality %s.", t.name, r.Engine, *r.Quality))
	}
	w.remark(t.name, result.Sound)
	return w.put(t.file, func(to io.Writer) error { return w.render(to, result.Transcript) })
}

// put writes a text, and reports its path.
func (w *work) put(name string, write func(io.Writer) error) error {
	if w.output.file(name) == "" {
		w.display.Done() // the terminal may be the same
	}
	path, err := w.output.put(name, write)
	if err == nil && w.output.folder {
		w.display.Say("Wrote " + path)
	}
	return err
}

// result sends the source of a text, unless a job already has it, and follows the job to its
// end.
func (w *work) result(ctx context.Context, t text, line *progress.Line) (*transcript.Result, error) {
	id := t.job
	if id == "" {
		result, job, err := w.submit(ctx, t, line)
		if err != nil || result != nil {
			return result, err
		}
		id = job.JobID
		if t.begun != nil {
			if err := t.begun(id); err != nil {
				return nil, err
			}
		}
		w.tell(t.name, "job "+id)
		line.Job(*job)
	}
	again := tryingAgain(line)
	for event, err := range w.client.Jobs.Events(ctx, id, again) {
		if err != nil {
			break // the wait below reports the error, or works without the display
		}
		line.Event(event)
	}
	result, err := w.client.Jobs.Wait(ctx, id, again)
	if err != nil || result.Transcript != nil {
		return result, err
	}
	// The job was begun with plain text as its format.
	var job transcript.Job
	err = w.client.Do(ctx, http.MethodGet, "/v1/transcript/job/"+url.PathEscape(id)+"?format=json", nil, &job, again)
	return job.Result, err
}

func (w *work) submit(ctx context.Context, t text, line *progress.Line) (*transcript.Result, *transcript.Job, error) {
	atOnce := time.Duration(0) // so that there is something to watch, and to cancel
	request := transcript.Request{
		Source:       t.source,
		Language:     w.Language,
		SendMetadata: w.withMetadata(),
		Listening:    w.heardAs,
		Wait:         &atOnce,
	}
	if _, _, _, recording := t.source.Upload(); recording {
		request.KeepMedia = time.Duration(w.KeepMedia)
	}
	up := &upload{line: line, tell: func(what string) { w.tell(t.name, what) }}
	options := []client.RequestOption{client.WithUploadProgress(up.sent), client.WithRetryNotify(up.broke)}
	var b *begun
	if t.path != "" {
		if b = w.begin(t.recording); b != nil {
			t.key = b.key
		}
	}
	if t.key != "" {
		options = append(options, client.WithIdempotencyKey(t.key))
	}
	result, job, err := w.client.Transcripts.Submit(ctx, request, options...)
	return result, job, b.end(err)
}

// withMetadata reports whether the format shows who has spoken, and where.
func (w *work) withMetadata() bool { return w.Format == "json" || w.isDocument() }

// tryingAgain shows that the service does not answer, or is busy.
func tryingAgain(line *progress.Line) client.RequestOption {
	return client.WithRetryNotify(func(err error, pause time.Duration) { noteBreak(line, err, pause) })
}

func noteBreak(line *progress.Line, err error, pause time.Duration) {
	what := "connection lost"
	var refused *client.Error
	if errors.As(err, &refused) {
		what = fmt.Sprintf("the service is busy (%d)", refused.Response.StatusCode)
	}
	line.Note(fmt.Sprintf("%s, trying again in %.0fs", what, math.Ceil(pause.Seconds())))
}

// unfinished returns the reason why there is no text, and the state of the job. An interruption
// cancels the job, unless another call has begun it. A hang-up cancels nothing, because the
// caller may have lost the connection only.
func (w *work) unfinished(ctx context.Context, t text, err error) error {
	var waited *client.WaitError
	ended := ctx.Err() != nil
	var written *writtenError
	if errors.As(err, &written) {
		return written // without the inner texts around it
	}
	var brokenOff *brokenOffError
	switch running := errors.As(err, &waited); {
	case !running && !ended && errors.As(err, &brokenOff):
		return fmt.Errorf("%w; %s", err, goesOnSending)
	case !running && !ended:
		return err
	case !running && errors.As(err, &brokenOff):
		return fmt.Errorf("%w before it was sent; %s", ending(ctx), goesOnSending)
	case !running:
		return fmt.Errorf("%w before it was sent", ending(ctx))
	case ended && t.job == "" && !w.own && exitEnded(ctx) == exitInterrupted:
		return fmt.Errorf("interrupted; the job %s %s", waited.Job.JobID, cancelled(ctx, func(ctx context.Context) error {
			_, err := w.client.Jobs.Cancel(ctx, waited.Job.JobID)
			return err
		}))
	case ended:
		err = ending(ctx)
	case errors.Is(err, transcript.NotFound), errors.Is(err, transcript.Unauthorized):
		return err
	}
	return w.goesOn(err, "job", waited.Job.JobID)
}

// goesOn adds to the reason of an early end how to return to the work.
func (w *work) goesOn(why error, what, id string) error {
	if w.own {
		return fmt.Errorf("%w; the same command goes on with it", why)
	}
	return fmt.Errorf("%w; the %s goes on: \"transcribe --job %s\" returns to it", why, what, id)
}

// cancelled cancels the work of an interrupted call and returns the outcome in words.
func cancelled(ctx context.Context, cancel func(context.Context) error) string {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelTimeout)
	defer stop()
	switch err := cancel(ctx); {
	case err == nil:
		return "was cancelled"
	case errors.Is(err, transcript.StateConflict):
		return "had ended already"
	default:
		return fmt.Sprintf("goes on: it could not be cancelled: %v", err)
	}
}
