package client_test

import (
	"go/ast"
	"go/parser"
	"go/token"
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
	files := token.NewFileSet()
	doc, err := parser.ParseFile(files, "doc.go", nil, parser.ParseComments)
	require.NoError(t, err)
	tests := map[string]bool{}
	paths, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	ofService, err := filepath.Glob("../server/servertest/*_test.go") // this client against the service
	require.NoError(t, err)
	for _, path := range append(paths, ofService...) {
		file, err := parser.ParseFile(files, path, nil, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				tests[f.Name.Name] = true
			}
		}
	}
	row := regexp.MustCompile(`(?m)^\t(\S.*?)  +(yes|part|no|-) +(?:(?:yes|part|no|-) +){4}(\S.*)$`)
	rows := row.FindAllStringSubmatch(doc.Doc.Text(), -1)
	require.Len(t, rows, strings.Count(doc.Doc.Text(), "\n\t")-strings.Count(doc.Doc.Text()[:strings.Index(doc.Doc.Text(), "shown by")], "\n\t"),
		"each line of the table is a row")
	for _, r := range rows {
		assert.Equal(t, "yes", r[2], r[1])
		names := strings.Fields(r[3])
		assert.NotEmpty(t, names, r[1])
		for _, name := range names {
			assert.Regexp(t, "^(Test|Example)", name)
			assert.True(t, tests[name], "%s: there is no %s", r[1], name)
		}
	}
}
