package jobs

import (
	"context"
	"iter"
	"log/slog"
	"net/http"

	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
)

// Stream sends what watch yields as the stream of a job does, until the watch ends, or mayStay
// returns false.
func Stream(w http.ResponseWriter, watch func(context.Context) iter.Seq2[view.Event, error], mayStay func() bool) {
	j := &Jobs{&resource.Shared{Log: slog.New(slog.DiscardHandler), Lifetime: edge.NewLifetime()}}
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	stream := newEventStream(w)
	if stream.begin() == nil {
		_ = j.pump(ctx, leave, stream, watch(ctx), mayStay, maxStreamAge) // the tests look at the stream
	}
}
