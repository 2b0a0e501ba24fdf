package service_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestJobsHaveOneOwner reads the server's source: jobs begin and move in
// moves.go alone, and end in its settle alone.
func TestJobsHaveOneOwner(t *testing.T) {
	t.Parallel()
	found := map[string][]string{}
	require.NoError(t, filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		if dir := filepath.ToSlash(filepath.Dir(path)); dir == "../../internal/db" {
			return nil // which offers them
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			ast.Inspect(decl, func(n ast.Node) bool {
				if name := methodOfTx(n); name != "" {
					found[name] = append(found[name], filepath.Base(path)+" "+nameOf(decl))
				}
				return true
			})
		}
		return nil
	}))
	assert.Equal(t, map[string][]string{
		"Works.Insert": {"submit.go begin"},
		"Jobs.Insert":  {"moves.go begin"},
		"Works.Move":   {"moves.go move"},
		"Works.End":    {"moves.go settle"},
	}, found)
}

// methodOfTx is the group and the name of the method that a node calls, if that is one of
// the methods of a db.Tx that insert, move or end a job.
func methodOfTx(n ast.Node) string {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return ""
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	group, ok := method.X.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	switch name := group.Sel.Name + "." + method.Sel.Name; name {
	case "Jobs.Insert", "Works.Insert", "Works.Move", "Works.End":
		return name
	}
	return ""
}

func nameOf(decl ast.Decl) string {
	if f, ok := decl.(*ast.FuncDecl); ok {
		return f.Name.Name
	}
	return "a declaration"
}
