package follower

import "github.com/transcriptkit/transcriptkit/server/internal/tables"

// Tables declares the tables of the follows and of the followed addresses.
func Tables() []tables.Table {
	return []tables.Table{
		{
			Name: "follows", Key: []string{"id"}, Owner: tables.OwnedBy("account"),
			Export: &tables.Export{
				Join: " JOIN follow_sources AS s ON s.id = t.source_id",
				More: ", s.kind AS source_kind, s.url AS source_url, s.title AS source_title",
				JSON: []string{"last_error"}, Bool: []string{"begun", "paused"},
			},
			Removal: &tables.Removal{Turn: tables.Sources, ByFeature: true},
		},
		{
			Name: "follow_items", Key: []string{"follow_id", "position"}, Owner: tables.OwnedWith("follow_id", "follows"), With: "follows",
			Export: &tables.Export{},
		},
		{Name: "follow_sources", Key: []string{"id"}, With: "follows"}, // the last follow of an address removes it too
		{Name: "follow_entries", Key: []string{"source_id", "position"}, With: "follow_sources"},
		{Name: "follow_looks", Key: []string{"source_id"}, With: "follow_sources"},
		{Name: "follow_accounts", Key: []string{"account"}, Owner: tables.OwnedBy("account"), Removal: &tables.Removal{Turn: tables.Counts}},
		{Name: "follow_lines", Key: []string{"account", "slow"}, Owner: tables.OwnedBy("account"), Removal: &tables.Removal{Turn: tables.Counts}},
	}
}
