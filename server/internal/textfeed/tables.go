package textfeed

import "github.com/transcriptkit/transcriptkit/server/internal/tables"

// Tables declares the table of the feeds.
func Tables() []tables.Table {
	return []tables.Table{
		{
			Name: "text_feeds", Key: []string{"account"}, Owner: tables.OwnedBy("account"),
			Export:  &tables.Export{Omit: []string{"hash"}},
			Removal: &tables.Removal{Turn: tables.Access},
		},
	}
}
