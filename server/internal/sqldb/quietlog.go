package sqldb

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// repeatAfter is how long a repeated warning of River's is left out. While the database is
// not available, each of River's loops logs the same line every second.
const repeatAfter = 30 * time.Second

// Quiet is the logger for River: it lets warnings and errors pass, and leaves out
// repetitions.
func Quiet(log *slog.Logger) *slog.Logger {
	return slog.New(warnings{log.Handler(), &told{at: map[string]time.Time{}}})
}

type warnings struct {
	slog.Handler
	told *told
}

func (h warnings) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && h.Handler.Enabled(ctx, l)
}

// Handle leaves out the errors of a River that stops, and the lines that were logged a
// moment ago. It renames the attribute "error" of some of River's lines to "err".
func (h warnings) Handle(ctx context.Context, r slog.Record) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil
	}
	line, what := slog.NewRecord(r.Time, r.Level, r.Message, r.PC), r.Message
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "error" {
			a.Key = "err"
		}
		if a.Key == "err" {
			what += ": " + a.Value.String()
		}
		line.AddAttrs(a)
		return true
	})
	if h.told.lately(what, r.Time) {
		return nil
	}
	return h.Handler.Handle(ctx, line)
}

func (h warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return warnings{h.Handler.WithAttrs(attrs), h.told}
}

func (h warnings) WithGroup(name string) slog.Handler {
	return warnings{h.Handler.WithGroup(name), h.told}
}

// told knows which lines have been logged, and when.
type told struct {
	mu sync.Mutex
	at map[string]time.Time
}

// lately reports whether the line was logged less than repeatAfter before now. If not, it
// notes the line as logged now.
func (t *told) lately(what string, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for other, at := range t.at {
		if now.Sub(at) >= repeatAfter {
			delete(t.at, other)
		}
	}
	if _, ok := t.at[what]; ok {
		return true
	}
	t.at[what] = now
	return false
}
