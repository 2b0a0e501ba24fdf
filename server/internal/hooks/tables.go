package hooks

import "github.com/transcriptkit/transcriptkit/server/internal/tables"

// Tables declares the table of the hooks that some process has.
func Tables() []tables.Table {
	return []tables.Table{
		{Name: "hooks", Key: []string{"name"}},
	}
}
