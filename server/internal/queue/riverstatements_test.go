package queue_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRiversTablesAreNamedInTwoFiles: no other file of the service has a statement on River's
// tables. The tables are River's, so an upgrade of River is checked against two files.
func TestRiversTablesAreNamedInTwoFiles(t *testing.T) {
	t.Parallel()
	table := regexp.MustCompile(`\briver_(job|leader|queue|client|client_queue|migration|notification)\b`)
	var named []string
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			if err == nil && entry.Name() == "dbtest" { // what tests ask of the tables
				return fs.SkipDir
			}
			return err
		}
		ext := filepath.Ext(path)
		if ext != ".sql" && ext != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path) //nolint:gosec // a file of this module
		if table.Match(text) {
			named = append(named, filepath.Base(path))
		}
		return err
	})
	require.NoError(t, err)
	require.Equal(t, []string{"riverstatements.go", "rivertables.go"}, named)
}
