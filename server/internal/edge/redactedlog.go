package edge

import (
	"context"
	"log/slog"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/account"
)

// maxLogged is the longest value in a log line, in characters: enough for the stack of a
// crash. Errors quote much less of a caller's text; maxLogged also limits the text in
// errors of other packages.
const maxLogged = 4000

// maxCause is how much of the reason for a refusal a request's log line contains, in
// characters: enough for a link.
const maxCause = 500

// SafeLog is a log that limits its values, and cuts API keys to their prefixes.
func SafeLog(log *slog.Logger) *slog.Logger { return slog.New(boundedLog{log.Handler()}) }

// boundedLog cuts the values of log lines to maxLogged, and API keys in the values to their
// prefixes. A client may have put a key into any value.
type boundedLog struct{ slog.Handler }

// Handle implements slog.Handler.
func (l boundedLog) Handle(ctx context.Context, r slog.Record) error {
	fits := fit(r.Message) == r.Message
	r.Attrs(func(a slog.Attr) bool {
		fits = fits && isFit(a)
		return fits
	})
	if fits { // as most lines do
		return l.Handler.Handle(ctx, r)
	}
	bounded := slog.NewRecord(r.Time, r.Level, fit(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		bounded.AddAttrs(boundedAttr(a))
		return true
	})
	return l.Handler.Handle(ctx, bounded)
}

// WithAttrs implements slog.Handler.
func (l boundedLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	bounded := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		bounded[i] = boundedAttr(a)
	}
	return boundedLog{l.Handler.WithAttrs(bounded)}
}

// WithGroup implements slog.Handler.
func (l boundedLog) WithGroup(name string) slog.Handler {
	return boundedLog{l.Handler.WithGroup(name)}
}

func fit(text string) string { return clip.To(account.HideKeys(text), maxLogged) }

// isFit reports whether a needs no change. It is false for groups and values, which
// boundedAttr reads.
func isFit(a slog.Attr) bool {
	switch a.Value.Kind() {
	case slog.KindString:
		text := a.Value.String()
		return fit(text) == text
	case slog.KindAny, slog.KindGroup, slog.KindLogValuer:
		return false
	}
	return true
}

// boundedAttr limits a value. It does not change a value that needs no change, because the
// log's handler may look into an error.
func boundedAttr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindString, slog.KindAny:
		text := v.String()
		if err, ok := v.Any().(error); ok {
			text = err.Error()
		}
		if bounded := fit(text); bounded != text {
			return slog.String(a.Key, bounded)
		}
	case slog.KindGroup:
		group := make([]any, len(v.Group()))
		for i, member := range v.Group() {
			group[i] = boundedAttr(member)
		}
		return slog.Group(a.Key, group...)
	}
	return a
}
