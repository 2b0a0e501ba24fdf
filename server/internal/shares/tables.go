package shares

import "github.com/transcriptkit/transcriptkit/server/internal/tables"

// Tables declares the table of the links.
func Tables() []tables.Table {
	return []tables.Table{
		{
			Name: "shares", Key: []string{"id"}, Owner: tables.OwnedBy("account"), With: "library_rows",
			Export:  &tables.Export{Omit: []string{"hash"}},
			Removal: &tables.Removal{Turn: tables.Access},
			Old:     &tables.Old{Rows: "expires_at < (SELECT ?0)", Age: tables.For(0)},
		},
	}
}
