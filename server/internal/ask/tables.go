package ask

import (
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/tables"
)

// lookupAge is how old a question must be for its answer to have been read: readers wait for seconds.
const lookupAge = time.Hour

// Tables declares the table of the questions that go from process to process.
func Tables() []tables.Table {
	return []tables.Table{
		{
			Name: "lookups", Key: []string{"id"},
			Old: &tables.Old{Rows: "asked_at < (SELECT ?0)", Age: tables.For(lookupAge)},
		},
	}
}
