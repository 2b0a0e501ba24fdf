package db

import (
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/window"
)

// RequestClass is a kind of request that has windows of its own.
type RequestClass string

// The classes of requests.
const (
	MainRequests    RequestClass = "main"
	PollingRequests RequestClass = "polling" // they ask how work goes
)

// RequestWindow names the windows in which an account's requests of a class are
// counted. A window begins at a multiple of its length since 1970. The length is whole
// seconds. Windows of different lengths count apart.
type RequestWindow struct {
	Account string
	Class   RequestClass
	Length  time.Duration
}

// Requests is what was counted in a window.
type Requests struct {
	Count int // with the last one
	End   time.Time
	Left  time.Duration // until then, by the clock that counts
}

// CountRequest counts one more request in the present window. On SQLite it counts in
// memory, because one process sees all requests. On PostgreSQL it counts in the
// database and by its clock, so that no two requests to any process have the same
// count. CountRequest may leave out requests over the limit.
//
// If a clock steps back into the window before, the later window goes on: a new window
// would let an account use up the later window twice. If a clock steps back further,
// the old window begins again: otherwise an account that has used up the later window
// would wait until the clock reaches it again.
func (s *Store) CountRequest(ctx context.Context, w RequestWindow, limit int) (Requests, error) {
	if s.Shared() {
		r, err := s.countShared(ctx, w, limit)
		return r, wrap("count a request of "+w.Account, err)
	}
	now := time.Now()
	counted := s.windows.Add(w, w.Length, now)
	return Requests{counted.Count, counted.End, counted.End.Sub(now)}, nil
}

// countShared counts a request that other processes count too.
func (s *Store) countShared(ctx context.Context, w RequestWindow, limit int) (Requests, error) {
	asked := time.Now()
	if counted, left, full := s.full.Recall(w, limit, asked); full {
		return Requests{counted.Count, counted.End, left}, nil
	}
	var row struct {
		Requests int
		Began    int64 // Unix time in seconds
		Now      int64 // Unix time in milliseconds
	}
	const here = `w.began BETWEEN excluded.began AND excluded.began + w.seconds` // in the window of the row
	err := s.writer.NewRaw(`INSERT INTO rate_windows AS w (account, class, seconds, began, requests)
		VALUES (?0, ?1, ?2, floor(extract(epoch FROM clock_timestamp()) / ?2) * ?2, 1)
		ON CONFLICT (account, class, seconds) DO UPDATE SET
			began = CASE WHEN `+here+` THEN w.began ELSE excluded.began END,
			requests = CASE WHEN `+here+` THEN w.requests + 1 ELSE 1 END
		RETURNING requests, began, CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint) AS now`,
		w.Account, w.Class, int64(w.Length/time.Second)).Scan(ctx, &row)
	if err != nil {
		return Requests{}, err
	}
	end := time.Unix(row.Began, 0).Add(w.Length)
	r := Requests{row.Requests, end, end.Sub(time.UnixMilli(row.Now))}
	if r.Count > limit {
		s.full.Remember(w, window.Window{Count: r.Count, End: r.End}, r.Left, asked)
	}
	return r, nil
}

// sweepWindows removes the windows that no clock steps back into.
func (s *Store) sweepWindows(ctx context.Context) error {
	if !s.Shared() {
		return nil // the counter in memory forgets past windows
	}
	const past = "began + 2 * seconds < extract(epoch FROM clock_timestamp())"
	return s.sweepTable(ctx, "rate_windows", "account, class, seconds", past, nil)
}
