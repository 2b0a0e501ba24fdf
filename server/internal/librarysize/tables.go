package librarysize

import "github.com/transcriptkit/transcriptkit/server/internal/tables"

// Tables declares the table of the counts.
func Tables() []tables.Table {
	return []tables.Table{
		{
			Name: "library_sizes", Key: []string{"account"}, Owner: tables.OwnedBy("account"),
			Removal: &tables.Removal{Turn: tables.Counts, Rows: "t.account = ?0 AND t.bytes = 0"},
		},
	}
}
