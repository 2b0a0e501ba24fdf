package client_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFeaturesAreShown: each "yes" of the package's table names tests or examples that exist.
func TestFeaturesAreShown(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{}
	paths, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	ofService, err := filepath.Glob("../server/servertest/*_test.go") // this client against the service
	require.NoError(t, err)
	for _, path := range append(paths, ofService...) {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				tests[f.Name.Name] = true
			}
		}
	}
	page, err := os.ReadFile("FEATURES.md")
	require.NoError(t, err)
	row := regexp.MustCompile(`(?m)^\| (\S.*?) \| (yes|part|no|-) \| (?:(?:yes|part|no|-) \| ){4}(\S.*) \|$`)
	rows := row.FindAllStringSubmatch(string(page), -1)
	require.Len(t, rows, strings.Count(string(page), "\n|")-2, "each line of the table but its head is a row")
	for _, r := range rows {
		assert.Equal(t, "yes", r[2], r[1])
		names := strings.Fields(r[3])
		assert.NotEmpty(t, names, r[1])
		for _, name := range names {
			assert.Regexp(t, "^`(Test|Example)", name)
			assert.True(t, tests[strings.Trim(name, "`")], "%s: there is no %s", r[1], name)
		}
	}
}
