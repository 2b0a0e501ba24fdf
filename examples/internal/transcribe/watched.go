package transcribe

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// begin notes in the ledger that the text of a recording is made now, so that no other recording
// takes the name of the text.
func (w *watcher) begin(name string, file mediaFile) (entry, error) {
	e, known := w.ledger.of(w.textOf(name))
	if known && e.about(file) {
		return e, nil // an earlier call has begun
	}
	e = entry{Recording: name, Size: file.size, Modified: file.modified, Key: rand.Text(), Written: e.Written}
	return e, w.ledger.put(w.textOf(name), e)
}

// transcribe makes the text of one recording of the folder, or goes on with making it. The
// ledger holds each step before the next step begins.
func (w *watcher) transcribe(ctx context.Context, file mediaFile, e entry) error {
	name, textFile := e.Recording, w.textOf(e.Recording)
	line := w.display.Line(name)
	defer line.Done()
	result, err := w.result(ctx, text{name: name, source: file.source(), key: e.Key, job: e.Job, begun: func(job string) error {
		e.Job = job
		return errors.Join(w.ledger.put(textFile, e), w.stopIfWritten(ctx, file, job))
	}}, line)
	switch {
	case err == nil && !file.changed():
		line.Done()
		return w.write(textFile, e, result.Transcript)
	case err == nil:
		err = file.written()
	}
	return w.afterFailure(ctx, textFile, e, err)
}

// stopIfWritten cancels a job whose recording has changed since it was sent.
func (w *watcher) stopIfWritten(ctx context.Context, file mediaFile, job string) error {
	if !file.changed() {
		return nil
	}
	_, _ = w.client.Jobs.Cancel(ctx, job) // a job that goes on costs more, and no text comes of it
	return file.written()
}

// afterFailure forgets a recording that must be sent again, so that its next request is a new
// one. After an interruption, or if the service has not answered, the same request goes on.
func (w *watcher) afterFailure(ctx context.Context, textFile string, e entry, err error) error {
	var still *writtenError
	var refused *client.Error
	switch {
	case ctx.Err() != nil:
		return err
	case errors.As(err, &still),
		errors.Is(err, transcript.NotFound), // the service no longer has the job
		e.Job == "" && errors.As(err, &refused) && !errors.Is(err, transcript.IdempotencyInProgress):
		if err := w.ledger.put(textFile, e.again()); err != nil {
			return err
		}
	}
	return lasting(err)
}

// write writes the text next to its recording, unless somebody else has written one meanwhile.
func (w *watcher) write(textFile string, e entry, t *transcript.Transcript) error {
	var made bytes.Buffer
	if err := w.render(&made, t); err != nil {
		return err
	}
	path := filepath.Join(w.Watch, textFile)
	st, err := os.Stat(path)
	if err == nil && (e.Written == nil || !st.ModTime().Equal(*e.Written)) {
		there, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(there, made.Bytes()) {
			return &lastingError{fmt.Errorf("%s came while the text was made, and is not replaced", path)}
		}
	}
	if _, err := w.output.put(textFile, func(to io.Writer) error { _, err := made.WriteTo(to); return err }); err != nil {
		return err
	}
	if st, err = os.Stat(path); err != nil {
		return err
	}
	e.Job, e.Key, e.Done, e.Written = "", "", true, new(st.ModTime())
	if err := w.ledger.put(textFile, e); err != nil {
		return err
	}
	w.display.Say("Wrote " + path)
	if len(t.Segments) == 0 {
		w.display.Say(fmt.Sprintf("Nothing was heard in %s: its text is empty.", e.Recording))
	}
	w.remark(e.Recording, t.Sound)
	return nil
}
