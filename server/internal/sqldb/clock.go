package sqldb

import (
	"context"
	"time"

	"github.com/uptrace/bun"
)

// Now is the time by the database's clock. It is used for ages that may have begun in another
// process, because the clocks of two machines differ. On a database that one process serves, it is
// the clock of this machine.
func Now(ctx context.Context, db bun.IDB, shared bool) (now time.Time, err error) {
	if !shared {
		return time.Now(), nil
	}
	err = db.NewRaw("SELECT clock_timestamp()").Scan(ctx, &now)
	return now, Wrap("ask for the time", err)
}
