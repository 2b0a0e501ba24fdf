package db

import (
	"context"
	"time"
)

// Now is the time by the database's clock, by which ages are judged that another process
// may have begun: the clocks of two machines differ. On SQLite, which one process serves,
// it is the clock of this machine.
func (r Reader) Now(ctx context.Context) (now time.Time, err error) {
	if !r.shared {
		return time.Now(), nil
	}
	err = r.db.NewRaw("SELECT clock_timestamp()").Scan(ctx, &now)
	return now, wrap("ask for the time", err)
}
