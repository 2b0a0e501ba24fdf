package sqldb

import (
	"context"
	"fmt"

	"github.com/pressly/goose/v3"
	"github.com/uptrace/bun"
)

// CheckIntegrity has SQLite look for damage in its file, and for rows that name a row which is not
// there. It calls fault with a sentence for each fault, and reads the whole file. It returns false on
// PostgreSQL, which has programs of its own for this.
func (d *DB) CheckIntegrity(ctx context.Context, fault func(string)) (checked bool, err error) {
	if d.Kind() != goose.DialectSQLite3 {
		return false, nil
	}
	ctx = unbounded(ctx)
	err = integrity(ctx, d.Reader(), fault)
	if unreadable(err) {
		fault(err.Error())
		err = nil
	}
	return true, Wrap("check the integrity of the file", err)
}

func integrity(ctx context.Context, db *bun.DB, fault func(string)) error {
	var found []string
	if err := db.NewRaw("PRAGMA integrity_check").Scan(ctx, &found); err != nil {
		return err
	}
	for _, one := range found {
		if one != "ok" {
			fault(one)
		}
	}
	var lost []struct {
		Table, Parent string
		Rows          int
	}
	if err := db.NewRaw(`SELECT "table", "parent", count(*) AS rows FROM pragma_foreign_key_check GROUP BY 1, 2`).Scan(ctx, &lost); err != nil {
		return err
	}
	for _, l := range lost {
		fault(fmt.Sprintf("%d rows of the table %s name a row of the table %s that is not there", l.Rows, l.Table, l.Parent))
	}
	return nil
}
