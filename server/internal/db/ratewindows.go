package db

import (
	"context"
	"encoding/json"
	"strings"
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

// RequestWindow names the windows in which an account's requests of a class are counted. A
// window begins at a multiple of its length since 1970. Windows of different lengths count apart.
type RequestWindow struct {
	Account string
	Keyless bool // of the requests without an API key, which are counted apart from those with one
	Class   RequestClass
	Length  time.Duration // whole seconds
}

// keyless ends the account in the rows of requests without a key. No name of an account has a
// control character. The last version counts all requests of an account in the row without it.
const keyless = "\x01"

// owner is the account as rows have it.
func (w RequestWindow) owner() string {
	if w.Keyless {
		return w.Account + keyless
	}
	return w.Account
}

// Requests is what was counted in a window. Other is the count of the other class in that time.
type Requests = window.Counted

// CountRequest counts one more request in the present window. On SQLite it counts in memory,
// because one process sees all requests. On PostgreSQL it counts in the database and by its
// clock, so that no two requests to any process have the same count. Requests of a process that
// come at the same time share a statement. CountRequest may leave out requests over the limit.
// If a clock steps back, the database decides as [window.Counter] does.
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

// countRequests counts a round. It locks the rows in order, because rounds of others run at once.
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

// sameWindow holds in the window of the row, and in the window before.
const sameWindow = `w.began BETWEEN excluded.began AND excluded.began + w.seconds`

// countRound counts the requests that have waited for the round before, in one statement.
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
