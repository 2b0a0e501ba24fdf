package db

import (
	"context"
	"errors"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// ErrNewer says that a newer version has changed the tables so that this program cannot work on
// them.
var ErrNewer = errors.New("store: the tables are of a newer version")

// compatible returns ErrNewer if the tables have a later migration than this program, and the table
// compatibility rules this program out. If there is no later migration, it makes no query.
func compatible(ctx context.Context, db bun.IDB, have, want Tables) error {
	if have.Ours <= want.Ours {
		return nil
	}
	var tables struct {
		Oldest  int64
		Release string
	}
	if err := db.NewRaw(`SELECT oldest, release FROM compatibility`).Scan(ctx, &tables); err != nil {
		return wrap("look at what the tables need", err)
	}
	if want.Ours >= tables.Oldest {
		return nil
	}
	return &sqldb.Fault{
		Found: "the tables are of version " + tables.Release + ", and this program is too old for them",
		Cure:  "install " + tables.Release + " or a later version, or restore the backup from before the upgrade",
		Err:   ErrNewer,
	}
}
