package queue_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
)

// named is a step that names a piece of work.
type named struct {
	Work string `json:"extraction"`
}

func (named) Kind() string  { return "named" }
func (named) Queue() string { return "default" }

// TestDistributionReadsTheQueue has a queue with steps that name a piece of work and steps that name
// none, in tables as the version before the column of the work has made them.
func TestDistributionReadsTheQueue(t *testing.T) {
	t.Parallel()
	o := dbtest.SQLite(t)
	s := dbtest.Open(t, o)
	e, _ := newWork(t, s, "acme")
	fill := func() {
		enqueue(t, s, "one")
		inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Queue.Enqueue(ctx, named{e.ID})) })
	}
	fill()
	dbtest.RequireSound(t, o.Database)

	raw := open(t, o)
	for _, statement := range []string{
		"DROP TRIGGER river_job_names_extraction", "DROP INDEX river_job_of_extraction", "ALTER TABLE river_job DROP COLUMN extraction",
		"CREATE INDEX river_job_extraction ON river_job ((args ->> 'extraction')) WHERE state = 'available'",
	} {
		raw.exec(t, statement)
	}
	s = dbtest.Open(t, o)
	fill()
	dbtest.RequireSound(t, o.Database)
	require.Equal(t, 2, open(t, o).count(t, "river_job WHERE extraction = '"+e.ID+"'"), "old steps and new ones name their extraction")
}
