package pipeline_test

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

// TestClaimsHaveOneOwner reads the server's source: claims begin and move in
// claims.go alone, and end in its settle alone.
func TestClaimsHaveOneOwner(t *testing.T) {
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
		"InsertExtraction": {"submit.go begin"},
		"InsertJob":        {"claims.go claim"},
		"Move":             {"claims.go move"},
		"End":              {"claims.go settle"},
	}, found)
}

// methodOfTx is the name of what a node calls, if it is one of the methods of db.Tx
// that make, move or end a claim: they are those whose first argument is a context.
func methodOfTx(n ast.Node) string {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return ""
	}
	method, isMethod := call.Fun.(*ast.SelectorExpr)
	first, isName := call.Args[0].(*ast.Ident)
	if !isMethod || !isName || !strings.HasSuffix(strings.ToLower(first.Name), "ctx") {
		return ""
	}
	switch name := method.Sel.Name; name {
	case "InsertJob", "InsertExtraction", "Move", "End":
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
