package sqldb_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// SQLite reads the text of a long query once, and not at each call.
func TestAskPreparesOnce(t *testing.T) {
	t.Parallel()
	db, err := sqldb.Open(t.Context(), sqldb.Options{Database: "sqlite:" + filepath.Join(t.TempDir(), "test.db"), Inserts: new(river.Config)})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	long := "SELECT ? AS n -- " + strings.Repeat("x", 1<<20)
	var rows []struct{ N int }
	fastest := func(call func() error) time.Duration {
		best := time.Hour
		for range 10 {
			rows = nil
			began := time.Now()
			require.NoError(t, call())
			best = min(best, time.Since(began))
			require.Len(t, rows, 1)
			require.Equal(t, 7, rows[0].N)
		}
		return best
	}
	asked := fastest(func() error { return db.Ask(t.Context(), &rows, long, 7) })
	raw := fastest(func() error { return db.Reader().NewRaw(long, 7).Scan(t.Context(), &rows) })
	assert.Less(t, asked, raw/4)
}
