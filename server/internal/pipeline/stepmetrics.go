package pipeline

import (
	"context"
	"errors"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/fault"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// A change is counted when its transaction is committed: the transaction may be rolled
// back, or run twice.

// countLeft counts that an extraction has left the stage in which it was before.
func (p *Pipeline) countLeft(tx *db.Tx, before, now *db.Extraction) {
	if before.MovedAt == nil {
		return // a process of an earlier version has begun it
	}
	took := now.MovedAt.Sub(*before.MovedAt)
	tx.AfterCommit(func() { p.metrics.StageLeft(before.State.Stage, took) })
}

// countEnds counts claims that have ended.
func (p *Pipeline) countEnds(tx *db.Tx, claims []db.Job, end db.End) {
	var code transcript.Code
	if end.Error != nil {
		code = end.Error.Code
	}
	tx.AfterCommit(func() {
		for _, c := range claims {
			p.metrics.JobEnded(end.Status, code, c.EndedAt.Sub(c.CreatedAt))
			switch {
			case end.Stale:
				p.metrics.ServedStale(metrics.ForJob)
			case end.Cached:
				p.metrics.CacheAsked(metrics.ForJob, true)
			}
		}
	})
}

// countAnswer counts what a source of a platform has answered, where the platform was
// visited and the error is its own.
func (p *Pipeline) countAnswer(ctx context.Context, platform transcript.Platform, source metrics.Source, empty bool, err error) {
	class := metrics.Fault
	switch w := weight(err); {
	case errors.Is(err, pace.ErrHeldBack):
		p.metrics.HeldBack(platform)
		return
	case err == nil && !empty:
		class = metrics.OK
	case w == foundNothing, w == isGone, w == wantsLogin:
		class = metrics.Empty
	case w == isBlock:
		class = metrics.Blocked
	case w == wantsToken:
		class = metrics.POT
	case w == isUnfit, fault.Own(err), errors.Is(ctx.Err(), context.Canceled), // the service's own
		errors.Is(err, errUnwanted), errors.Is(err, errTakenOver), errors.Is(err, transcript.MediaTooLarge):
		return
	}
	p.metrics.UpstreamAnswered(platform, source, class)
}
