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
		return errors.New("interrupted before the work began")
	case err != nil:
		return err
	case !usage.Limits.BatchExport:
		return errors.New("the plan of this account does not permit the export of batches: transcribe links one by one")
	}
	return nil
}

// batch makes a batch, shows its items, and exports it.
func (w *work) batch(ctx context.Context, p client.BatchParams) {
	name := p.Playlist + p.Channel
	if name == "" {
		name = fmt.Sprintf("%d links", len(p.URLs))
		if len(p.URLs) == 1 {
			name = p.URLs[0]
		}
	}
	line := w.display.Line(name)
	defer line.Done()
	again := tryingAgain(line)
	made, err := w.client.Batches.Create(ctx, p, again)
	if err != nil {
		if ctx.Err() != nil {
			err = errors.New("interrupted")
		}
		w.fail(name, err)
		return
	}
	ended, err := w.watch(ctx, line, made.ID)
	var failed *client.BatchError
	switch {
	case ctx.Err() != nil:
		w.fail(name, fmt.Errorf("interrupted; the batch %s %s", made.ID, cancelled(ctx, func(ctx context.Context) error {
			_, err := w.client.Batches.Cancel(ctx, made.ID)
			return err
		})))
		return
	case errors.As(err, &failed):
		ended = &failed.Batch
		if why := failed.Unwrap(); why != nil {
			w.fail(name, why)
		}
	case err != nil:
		w.fail(name, err)
		return
	}
	for item, err := range w.client.Batches.AllItems(ctx, made.ID, again) {
		switch {
		case err != nil:
			w.fail(name, err)
		case item.Status == batch.ItemFailed && item.Error != nil:
			w.fail(labelOf(item), errors.New(string(*item.Error)+": "+item.ErrorMessage))
		}
	}
	line.Done()
	if ended.Counts.Success > 0 {
		if err := w.export(ctx, made.ID); err != nil {
			w.fail(name, err)
		}
	}
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
		line, shown := running[label]
		switch runs := item.Status == batch.ItemProcessing; {
		case runs && !shown:
			running[label] = w.display.Line(label)
			running[label].State("running")
		case !runs && shown:
			line.Done()
			delete(running, label)
		}
	}
	whole.State(fmt.Sprintf("%d of %d done, %d failed", done, all, failed))
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
