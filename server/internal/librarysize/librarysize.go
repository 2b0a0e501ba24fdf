// Package librarysize knows the size of the texts of an account, in bytes. Package limits compares
// them with the account's plan.
//
// Two kinds of texts count: those that belong to the account alone (of uploads, imports and
// corrections), and the revisions of the texts in its library. A text counts by the bytes of its
// lines and words as JSON, before the database packs them. A text that all accounts share does not
// count, because its rows stay when an account removes it. The index of words does not count
// separately, because its size depends on the same bytes.
//
// Triggers of the database keep the count in library_sizes in the transaction that writes. So the
// count is exact whoever writes: several processes, an older version, a sweep. The view text_sizes
// has the bytes of each text, and [Verify] compares the two.
package librarysize

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// Of returns how many bytes the texts of an account take.
func Of(ctx context.Context, db bun.IDB, account string) (bytes int64, err error) {
	err = db.NewRaw("SELECT coalesce((SELECT bytes FROM library_sizes WHERE account = ?), 0)", account).Scan(ctx, &bytes)
	return bytes, sqldb.Wrap("count the bytes of the library of "+account, err)
}

// Hold is Of, and prevents other transactions from changing the size until this transaction ends.
// Call it after locking the texts of the content.
func Hold(ctx context.Context, tx *sqldb.Tx, account string) (bytes int64, err error) {
	var held []int64
	err = tx.ForUpdate(tx.NewSelect().Table("library_sizes").Column("bytes").Where("account = ?", account)).Scan(ctx, &held)
	if err != nil || len(held) == 0 {
		return 0, sqldb.Wrap("count the bytes of the library of "+account, err)
	}
	return held[0], nil
}

// Verify counts the bytes of all texts, and calls fault with a sentence about each account whose
// stored count differs. Others may write at the same time.
func Verify(ctx context.Context, db bun.IDB, fault func(string)) error {
	var wrong []struct {
		Account       string
		Counted, Have int64
	}
	err := db.NewRaw(`SELECT account, sum(counted) AS counted, sum(have) AS have FROM (
			SELECT account, bytes AS counted, 0 AS have FROM library_sizes UNION ALL SELECT account, 0, bytes FROM text_sizes) AS s
		GROUP BY account HAVING sum(counted) <> sum(have) ORDER BY account`).Scan(ctx, &wrong)
	for _, w := range wrong {
		fault(fmt.Sprintf("the texts of account %s take %d bytes, and %d are counted", w.Account, w.Have, w.Counted))
	}
	return sqldb.Wrap("count the bytes of all texts", err)
}
