package ask

import (
	"context"
	"errors"

	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// CountVisit counts the answer of a source to a visit of a platform. It does not count
// errors of the service itself, or a visit that the pace delays.
func CountVisit(ctx context.Context, m *metrics.Metrics, platform transcript.Platform, source metrics.Source, empty bool, err error) {
	class := metrics.Fault
	switch w := weight(err); {
	case errors.Is(err, throttle.ErrHeldBack):
		m.HeldBack(platform)
		return
	case err == nil && !empty:
		class = metrics.OK
	case w == foundNothing, w == isGone, w == wantsLogin:
		class = metrics.Empty
	case w == isBlock:
		class = metrics.Blocked
	case w == wantsToken:
		class = metrics.POT
	case w == isUnfit, attempt.Own(err), errors.Is(ctx.Err(), context.Canceled), errors.Is(err, transcript.MediaTooLarge):
		return
	}
	m.UpstreamAnswered(platform, source, class)
}
