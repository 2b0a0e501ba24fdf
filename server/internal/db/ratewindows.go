package db

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/window"
)

// RequestClass is a kind of request that has its own windows.
type RequestClass string

// The classes of requests.
const (
	MainRequests    RequestClass = "main"
	PollingRequests RequestClass = "polling" // requests that poll the progress of work
)

// RequestWindow names the windows in which an account's requests of a class are counted. A window
// begins at a multiple of its length since 1970. Windows of different lengths are counted
// separately.
type RequestWindow struct {
	Account string
	Keyless bool // of the requests without an API key, which are counted separately
	Class   RequestClass
	Length  time.Duration // whole seconds
}

// keyless is appended to the account in the rows of requests without a key. No account's
// name has a control character. The last version counts all requests of an account in the
// row without this suffix.
const keyless = "\x01"

// owner is the account as rows store it.
func (w RequestWindow) owner() string {
	if w.Keyless {
		return w.Account + keyless
	}
	return w.Account
}

// Requests is the number of requests in a window. Other is the number of requests of the other
// class in the same time.
type Requests = window.Counted

// CountRequest counts one more request in the current window. On SQLite it counts in memory,
// because one process gets all requests. On PostgreSQL it counts in the database and by its
// clock, so that no two requests to any processes get the same count. Concurrent requests of
// a process share a statement. CountRequest may not count requests over the limit. If a
// clock steps back, the database decides as [window.Counter] does.
func (s *Store) CountRequest(ctx context.Context, w RequestWindow, limit int) (Requests, error) {
	if s.Shared() {
		r, err := s.rounds.Add(ctx, w, limit)
		return r, wrap("count a request of "+w.Account, err)
	}
	now, other := time.Now(), w
	if other.Class = PollingRequests; w.Class == PollingRequests {
		other.Class = MainRequests
	}
	counted := s.windows.Add(w, w.Length, now)
	return Requests{Window: counted, Left: counted.End.Sub(now), Other: s.windows.Count(other, w.Length, now)}, nil
}

// windowRow is a window in the database.
type windowRow struct {
	Account    string       `json:"account"`
	Class      RequestClass `json:"class"`
	Seconds    int64        `json:"seconds"`
	Requests   int          `json:"requests"`
	Other      int          `json:"-"`
	Began, Now int64        `json:"-"` // Unix time in seconds, and in milliseconds
}

// countRequests counts a group of requests. It locks the rows in order, because other processes
// count groups at the same time.
const countRequests = `INSERT INTO rate_windows AS w (account, class, seconds, began, requests)
	SELECT account, class, seconds, floor(extract(epoch FROM clock_timestamp()) / seconds) * seconds, requests
	FROM json_to_recordset(?) AS one (account text, class text, seconds bigint, requests bigint)
	ORDER BY account, class, seconds
	ON CONFLICT (account, class, seconds) DO UPDATE SET
		began = CASE WHEN ` + sameWindow + ` THEN w.began ELSE excluded.began END,
		requests = CASE WHEN ` + sameWindow + ` THEN w.requests + excluded.requests ELSE excluded.requests END
	RETURNING account, class, seconds, requests, began, CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint) AS now,
		coalesce((SELECT o.requests FROM rate_windows AS o
			WHERE o.account = w.account AND o.class <> w.class AND o.seconds = w.seconds AND o.began = w.began), 0) AS other`

// sameWindow is true in the window of the row, and in the previous window.
const sameWindow = `w.began BETWEEN excluded.began AND excluded.began + w.seconds`

// countRound counts the requests that have waited for the previous group, in one statement.
func (s *Store) countRound(ctx context.Context, requests map[RequestWindow]int) (map[RequestWindow]Requests, error) {
	round := make([]windowRow, 0, len(requests))
	for w, n := range requests {
		round = append(round, windowRow{Account: w.owner(), Class: w.Class, Seconds: int64(w.Length / time.Second), Requests: n})
	}
	text, err := json.Marshal(round)
	var rows []windowRow
	if err == nil {
		err = s.sql.Ask(ctx, &rows, countRequests, string(text))
	}
	counted := make(map[RequestWindow]Requests, len(rows))
	for _, row := range rows {
		length := time.Duration(row.Seconds) * time.Second
		end := time.Unix(row.Began, 0).Add(length)
		w := window.Window{Count: row.Requests, End: end}
		account, isKeyless := strings.CutSuffix(row.Account, keyless)
		counted[RequestWindow{account, isKeyless, row.Class, length}] = Requests{Window: w, Left: end.Sub(time.UnixMilli(row.Now)), Other: row.Other}
	}
	return counted, err
}
