// Package batch has the words of batches: a list of links, a playlist or a channel
// whose transcripts are made together.
//
// A [Job] is the batch as a whole, an [Item] one content of it. Items fare each on
// their own: one that fails leaves the others as they are, and may be retried.
//
//	if job.Status.Terminal() && job.Failed > 0 {
//		retried, err := c.Batches.Retry(ctx, job.ID, client.RetryParams{})
//		…
//	}
package batch
