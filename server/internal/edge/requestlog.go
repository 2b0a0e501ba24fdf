package edge

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
)

// ended counts a request and writes its log line. The line leaves the query out, because a
// client may have put a secret into the query.
func (e *Edge) ended(r *http.Request, w *recorder, n *exchange, took time.Duration) {
	status := w.status
	if n.gone {
		status = 499 // the client disconnected
	}
	n.route.Answered(r.Method, status, took-n.waited)
	if !e.log.Enabled(r.Context(), slog.LevelInfo) {
		return
	}
	// The line has no source position, because the position would take a third of the time and
	// is always the same.
	line := slog.NewRecord(time.Now(), slog.LevelInfo, "request", 0)
	attrs := append(make([]slog.Attr, 0, 10),
		slog.String("request", n.id),
		slog.String("method", clip.Text(r.Method)),
		slog.String("route", n.route.Pattern()),
		slog.Int("status", status),
		slog.String("client", n.client.String()),
		slog.Int64("bytes", w.written),
		slog.Duration("took", took.Round(time.Microsecond)),
	)
	if n.principal.Account != "" {
		attrs = append(attrs, slog.String("account", n.principal.Account), slog.String("key", n.principal.Prefix))
	}
	if n.err != nil {
		attrs = append(attrs, slog.String("err", clip.To(n.err.Error(), maxCause)))
	}
	line.AddAttrs(attrs...)
	_ = e.log.Handler().Handle(r.Context(), line) // as slog itself does, which cannot report an error
}
