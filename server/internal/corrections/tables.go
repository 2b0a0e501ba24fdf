package corrections

import (
	"github.com/transcriptkit/transcriptkit/server/internal/pasttext"
	"github.com/transcriptkit/transcriptkit/server/internal/tables"
)

// Tables declares the table of the earlier texts.
func Tables() []tables.Table {
	return []tables.Table{
		{
			Name: "revisions", Key: []string{"row_id", "number"}, Owner: tables.OwnedWith("row_id", "library_rows"), With: "library_rows",
			Export: &tables.Export{Open: pasttext.Open},
		},
	}
}
