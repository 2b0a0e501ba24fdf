package transcribe

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// resolve asks the service which ids of --job are jobs and which are batches, and adds them to
// the order.
func (w *work) resolve(ctx context.Context) {
	for _, id := range w.order.continued {
		name := "--job " + id
		isBatch, err := w.isBatch(ctx, id)
		switch {
		case err != nil && ctx.Err() != nil:
			w.fail(name, w.goesOn(ending(ctx), "work", id))
		case err != nil:
			w.fail(name, err)
		case isBatch && w.isDocument():
			w.fail(name, fmt.Errorf("%s: a batch can be txt, srt, vtt, json, csv or zip", w.formatOption))
		case !isBatch && w.batched():
			w.fail(name, fmt.Errorf("%s: a job can be txt, srt, vtt, json, md, docx or html", w.formatOption))
		case isBatch:
			w.order.batches = append(w.order.batches, several{name: "batch " + id, id: id})
		default:
			w.order.texts = append(w.order.texts, text{name: "job " + id, file: w.fileName(id), job: id})
		}
	}
	w.order.continued = nil
}

// isBatch reports whether an id is a batch's, and not a job's. A key may be good for only one of
// both.
func (w *work) isBatch(ctx context.Context, id string) (bool, error) {
	line := w.line("--job " + id)
	defer line.Done()
	_, err := w.client.Jobs.Get(ctx, id, tryingAgain(line))
	if !errors.Is(err, transcript.NotFound) && !forbidden(err) {
		return false, err
	}
	_, batchErr := w.client.Batches.Get(ctx, id, tryingAgain(line))
	switch {
	case batchErr == nil:
		return true, nil
	case errors.Is(batchErr, transcript.NotFound) && !forbidden(err):
		return false, fmt.Errorf("this account has neither a job nor a batch with this id: %w", batchErr)
	case errors.Is(batchErr, transcript.NotFound):
		return false, err
	}
	return false, batchErr
}

// forbidden reports whether the key has not the scope that a request needs.
func forbidden(err error) bool {
	var refused *client.Error
	return errors.As(err, &refused) && refused.Response.StatusCode == http.StatusForbidden
}
