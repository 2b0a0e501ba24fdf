package sqldb

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// repeatAfter is how long a warning of River's is not told again. While the
// database is away each of its loops would tell the same every second.
const repeatAfter = 30 * time.Second

// Quiet lets warnings and errors pass, and nothing of what River logs otherwise.
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

// Handle leaves out what River could not end because it is being stopped, and
// what was told a moment ago. River writes "error" in some lines where it writes
// "err" in others.
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

// told is what has been told, and when.
type told struct {
	mu sync.Mutex
	at map[string]time.Time
}

// lately tells that what was told less than repeatAfter before now; else it is
// told now.
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
