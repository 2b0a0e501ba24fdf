package queue

import "github.com/transcriptkit/transcriptkit/server/internal/tables"

// Tables declares the tables of the queue that River does not know.
func Tables() []tables.Table {
	return []tables.Table{
		{Name: "processes", Key: []string{"id"}, Lease: true, Old: &tables.Old{Rows: "beat_at < ?1", Age: tables.ForJobs}}, // the process is long dead by then
		{
			Name: "fair_shares", Key: []string{"queue", "priority", "turn"}, Owner: tables.OwnedBy("turn"),
			Removal: &tables.Removal{Turn: tables.Counts},
			Old:     &tables.Old{Rows: oldShares}, // the queue treats a forgotten account as a new one
		},
	}
}
