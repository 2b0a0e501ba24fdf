package transcribe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/internal/progress"
)

const lookEvery = time.Second // at the items of a batch

// mayExport asks, before batches begin, whether the account may export their texts.
func (w *work) mayExport(ctx context.Context) error {
	if len(w.order.batches) == 0 {
		return nil
	}
	usage, err := w.client.Usage.Get(ctx)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%w before the work began", ending(ctx))
	case err != nil:
		return err
	case !usage.Limits.BatchExport:
		return errors.New("the plan of this account does not permit the export of batches: transcribe links one by one")
	}
	return nil
}

// batch makes a batch or returns to one, shows its items, and exports it.
func (w *work) batch(ctx context.Context, s several) {
	line := w.display.Line(s.name)
	defer line.Done()
	id, err := w.batchID(ctx, s, line)
	if err != nil {
		w.fail(s.name, err)
		return
	}
	ended, err := w.watch(ctx, line, id)
	var failed *client.BatchError
	switch {
	case ctx.Err() != nil:
		w.fail(s.name, w.endedBatch(ctx, s, id))
		return
	case errors.As(err, &failed):
		ended = &failed.Batch
		if why := failed.Unwrap(); why != nil {
			w.fail(s.name, why)
		}
	case err != nil:
		w.fail(s.name, w.goesOn(err, "batch", id))
		return
	}
	for item, err := range w.client.Batches.AllItems(ctx, id, tryingAgain(line)) {
		switch {
		case err != nil:
			w.fail(s.name, err)
		case item.Status == batch.ItemFailed && item.Error != nil:
			w.fail(labelOf(item), errors.New(string(*item.Error)+": "+item.ErrorMessage))
		}
	}
	line.Done()
	if ended.Counts.Success > 0 {
		if err := w.export(ctx, id); err != nil {
			w.fail(s.name, err)
		}
	}
}

// batchID makes the batch, unless it runs already, and returns its id.
func (w *work) batchID(ctx context.Context, s several, line *progress.Line) (string, error) {
	if s.id != "" {
		return s.id, nil
	}
	made, err := w.client.Batches.Create(ctx, s.params, tryingAgain(line))
	switch {
	case err != nil && ctx.Err() != nil:
		return "", fmt.Errorf("%w before the batch was made", ending(ctx))
	case err != nil:
		return "", err
	}
	w.tell(s.name, "batch "+made.ID)
	return made.ID, nil
}

// endedBatch returns why there is no export, and the state of the batch. As for jobs, only an
// interruption of the call that has begun the batch cancels the batch.
func (w *work) endedBatch(ctx context.Context, s several, id string) error {
	if s.id != "" || w.own || exitEnded(ctx) == exitHungUp {
		return w.goesOn(ending(ctx), "batch", id)
	}
	return fmt.Errorf("interrupted; the batch %s %s", id, cancelled(ctx, func(ctx context.Context) error {
		_, err := w.client.Batches.Cancel(ctx, id)
		return err
	}))
}

// watch shows the running items until the batch has ended.
func (w *work) watch(ctx context.Context, whole *progress.Line, id string) (ended *batch.Job, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		ended, err = w.client.Batches.Wait(ctx, id, tryingAgain(whole))
	}()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	running := map[string]*progress.Line{}
	for {
		select {
		case <-done:
			for _, line := range running {
				line.Done()
			}
			return ended, err
		case <-look.C:
			w.show(ctx, whole, id, running)
		}
	}
}

func (w *work) show(ctx context.Context, whole *progress.Line, id string, running map[string]*progress.Line) {
	all, done, failed := 0, 0, 0
	for item, err := range w.client.Batches.AllItems(ctx, id) {
		if err != nil {
			return // the wait reports the error, or works without the display
		}
		all++
		if item.Status.Terminal() {
			done++
		}
		if item.Status == batch.ItemFailed {
			failed++
		}
		label := labelOf(item)
		line, known := running[label]
		switch runs := item.Status == batch.ItemProcessing; {
		case runs && !known:
			running[label] = w.display.Line(label)
			running[label].State("running")
		case runs:
			line.State("running")
		case known:
			line.Hide() // an item that is tried again goes on in its line
		}
	}
	whole.State(fmt.Sprintf("%d of %d done, %d failed", done, all, failed))
	if now, err := w.client.Batches.Get(ctx, id); err == nil { // as above
		whole.Why(now.LastError)
	}
}

// labelOf returns the text by which people recognize an item.
func labelOf(item batch.Item) string {
	if item.SourceURL != nil {
		return *item.SourceURL
	}
	return item.ExternalID
}

// export writes the texts of a batch to the output.
func (w *work) export(ctx context.Context, id string) error {
	file, err := w.client.Batches.Export(ctx, id, client.ExportParams{
		Format:         batch.ExportFormat(w.Format),
		OmitTimestamps: !w.Timestamps,
	})
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // it is only read
	return w.put(file.Name, func(to io.Writer) error {
		_, err := io.Copy(to, file)
		return err
	})
}
