package pipeline

import (
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// A change is counted when its transaction is committed: the transaction may be rolled
// back, or run twice.

// countLeft counts that an extraction has left the stage in which it was before.
func (c *claims) countLeft(tx *db.Tx, before, now *db.Extraction) {
	if before.MovedAt == nil {
		return // a process of an earlier version has begun it
	}
	took := now.MovedAt.Sub(*before.MovedAt)
	tx.AfterCommit(func() { c.metrics.StageLeft(before.State.Stage, took) })
}

// countEnds counts claims that have ended.
func (c *claims) countEnds(tx *db.Tx, claims []db.Job, end db.End) {
	var code transcript.Code
	if end.Error != nil {
		code = end.Error.Code
	}
	tx.AfterCommit(func() {
		for _, job := range claims {
			c.metrics.JobEnded(end.Status, code, job.EndedAt.Sub(job.CreatedAt))
			switch {
			case end.Stale:
				c.metrics.ServedStale(metrics.ForJob)
			case end.Cached:
				c.metrics.CacheAsked(metrics.ForJob, true)
			}
		}
	})
}
