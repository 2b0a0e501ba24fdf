// Package batch has the types of batches. A batch is a list of links, a playlist or a
// channel whose transcripts are made together.
//
// A [Job] is the whole batch, and an [Item] is one content of it. Items are
// independent: a failed item does not affect the others, and may be retried.
//
//	if job.Status.Terminal() && job.Failed > 0 {
//		retried, err := c.Batches.Retry(ctx, job.ID, client.RetryParams{})
//		…
//	}
package batch
