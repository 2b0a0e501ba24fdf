package client_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEveryMethodHasAnExample reads the documentation as pkg.go.dev does. Each function and each
// method needs an example whose output go test compares.
func TestEveryMethodHasAnExample(t *testing.T) {
	t.Parallel()
	pkg := documentation(t)
	shown := map[string]bool{}
	show := func(name string, examples []*doc.Example) {
		for _, e := range examples {
			if e.Output != "" {
				shown[name] = true
			}
		}
	}
	var wanted []string
	show("", pkg.Examples)
	for _, f := range pkg.Funcs {
		show(f.Name, f.Examples)
		wanted = append(wanted, f.Name)
	}
	for _, typ := range pkg.Types {
		show(typ.Name, typ.Examples)
		for _, f := range typ.Funcs {
			show(f.Name, f.Examples)
			wanted = append(wanted, f.Name)
		}
		for _, m := range typ.Methods {
			show(typ.Name+"."+m.Name, m.Examples)
			if m.Name == "Error" || m.Name == "Unwrap" || m.Name == "RoundTrip" {
				wanted = append(wanted, typ.Name) // callers use these methods through an interface
			} else {
				wanted = append(wanted, typ.Name+"."+m.Name)
			}
		}
	}
	require.Greater(t, len(wanted), 70)
	assert.True(t, shown[""], "the package has no example with an output")
	for _, name := range wanted {
		assert.True(t, shown[name], "%s has no example with an output", name)
	}
}

// TestExamplesAreShort: a reader sees the body of an example on one screen.
func TestExamplesAreShort(t *testing.T) {
	t.Parallel()
	const most = 36
	fset := token.NewFileSet()
	for _, file := range parse(t, fset) {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(f.Name.Name, "Example") {
				continue
			}
			from, to := fset.Position(f.Body.Lbrace), fset.Position(f.Body.Rbrace)
			lines := to.Line - from.Line - 1
			assert.LessOrEqual(t, lines, most, "%s: %s has too many lines", filepath.Base(from.Filename), f.Name.Name)
		}
	}
}

func documentation(t *testing.T) *doc.Package {
	t.Helper()
	fset := token.NewFileSet()
	pkg, err := doc.NewFromFiles(fset, parse(t, fset), "github.com/transcriptkit/transcriptkit/client")
	require.NoError(t, err)
	return pkg
}

// parse reads the files of this package.
func parse(t *testing.T, fset *token.FileSet) (files []*ast.File) {
	t.Helper()
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range names {
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		require.NoError(t, err)
		files = append(files, file)
	}
	return files
}
