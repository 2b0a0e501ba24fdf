package wordindex

import (
	"context"
	"maps"
	"slices"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// Leave removes saved texts from their volumes. The caller calls Leave before it deletes the rows
// of the library that rows selects, points them at other texts, or changes the words of their
// texts. No search finds the old words from the commit on. The volumes keep the words until Purge
// or Bind writes them again, so Leave does not depend on the length of the texts.
//
// Leave returns the accounts for which Purge has something to do and had nothing to do before.
func Leave(ctx context.Context, tx *sqldb.Tx, rows func(*bun.SelectQuery) *bun.SelectQuery) (accounts []string, err error) {
	var all []struct {
		ID     string
		Volume *int64
	}
	q := rows(tx.NewSelect().Table("library_rows").Column("id", "volume").Where("kind = 'transcript'")).Order("id")
	if err := tx.ForUpdate(q).Scan(ctx, &all); err != nil {
		return nil, sqldb.Wrap("take texts out of the index", err)
	}
	ids, texts := []string{}, map[int64]int{}
	for _, row := range all {
		if row.Volume != nil {
			ids = append(ids, row.ID)
			texts[*row.Volume]++
		}
	}
	for some := range slices.Chunk(ids, portion) {
		_, err := tx.NewRaw("UPDATE library_rows SET volume = NULL WHERE id IN (?)", bun.List(some)).Exec(ctx)
		if err != nil {
			return nil, sqldb.Wrap("take texts out of the index", err)
		}
	}
	volumes := map[int][]int64{} // by how many texts leave them
	for _, id := range slices.Sorted(maps.Keys(texts)) {
		volumes[texts[id]] = append(volumes[texts[id]], id)
	}
	for n, some := range volumes {
		var left []volume
		err := tx.NewRaw("UPDATE search_volumes SET gone = gone + ? WHERE id IN (?) RETURNING account, gone", n, bun.List(some)).Scan(ctx, &left)
		if err != nil {
			return nil, sqldb.Wrap("take texts out of the index", err)
		}
		for _, v := range left {
			if v.Gone == n && !slices.Contains(accounts, v.Account) {
				accounts = append(accounts, v.Account)
			}
		}
	}
	return accounts, nil
}
