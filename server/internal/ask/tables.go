package ask

import (
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/tables"
)

// lookupAge is the age from which the answer of a question is not needed: readers wait only for
// seconds.
const lookupAge = time.Hour

// Tables declares the table of the questions that processes pass to each other.
func Tables() []tables.Table {
	return []tables.Table{
		{
			Name: "lookups", Key: []string{"id"},
			Old: &tables.Old{Rows: "asked_at < (SELECT ?0)", Age: tables.For(lookupAge)},
		},
	}
}
