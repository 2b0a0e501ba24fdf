package db_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
)

// TestFilesAreTheUsersOwn looks at the rights of a database's files.
func TestFilesAreTheUsersOwn(t *testing.T) {
	t.Parallel()
	o := dbtest.SQLite(t)
	o.Database = "sqlite:" + filepath.Join(t.TempDir(), "new.db") // the service makes it: none is copied
	dbtest.Open(t, o)
	files, err := filepath.Glob(strings.TrimPrefix(o.Database, "sqlite:") + "*")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 3, "the database, its log and its index")
	for _, path := range files {
		st, err := os.Stat(path)
		require.NoError(t, err)
		assert.Zero(t, st.Mode().Perm()&0o077, "%s is %v", filepath.Base(path), st.Mode())
	}
}
