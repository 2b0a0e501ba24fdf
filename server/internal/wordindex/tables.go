package wordindex

import "github.com/transcriptkit/transcriptkit/server/internal/tables"

// Tables declares the tables of the index.
func Tables() []tables.Table {
	return []tables.Table{
		{
			Name: "search_volumes", Key: []string{"id"}, Owner: tables.OwnedBy("account"),
			Removal: &tables.Removal{Turn: tables.Sources, AtOnce: 1}, // each has thousands of blocks
		},
		{Name: "search_volume_texts", Key: []string{"volume"}, With: "search_volumes"},
		{Name: "search_volume_blocks", Key: []string{"volume", "first_word"}, With: "search_volumes"},
		{Name: "search_blocks", Key: []string{"transcript_id", "first_word"}, With: "transcripts"},
	}
}
