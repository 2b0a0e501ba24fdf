package api

import (
	"context"
	"iter"
	"log/slog"
	"net/http"

	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/pipeline"
)

// Stream sends what watch yields as the stream of a job does, until the watch ends, or mayStay
// returns false.
func Stream(w http.ResponseWriter, watch func(context.Context) iter.Seq2[pipeline.Event, error], mayStay func() bool) {
	e := &eventStreams{log: slog.New(slog.DiscardHandler), lifetime: edge.NewLifetime()}
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	stream := newEventStream(w)
	if stream.begin() == nil {
		_ = e.pump(ctx, leave, stream, watch(ctx), mayStay, maxStreamAge) // the tests look at the stream
	}
}
