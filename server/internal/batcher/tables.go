package batcher

import "github.com/transcriptkit/transcriptkit/server/internal/tables"

// Tables declares the tables of the batches and of their items.
func Tables() []tables.Table {
	return []tables.Table{
		{
			Name: "batches", Key: []string{"id"}, Owner: tables.OwnedBy("account"),
			Export:  &tables.Export{JSON: []string{"limits", "error", "last_error"}, Bool: []string{"feeding", "listed"}},
			Removal: &tables.Removal{Turn: tables.Sources, ByFeature: true},
		},
		{
			Name: "batch_items", Key: []string{"id"}, Owner: tables.OwnedWith("batch_id", "batches"), With: "batches",
			Export: &tables.Export{
				Order: []string{"batch_id", "position"}, Bool: []string{"retryable", "short", "sound"},
			},
		},
	}
}
