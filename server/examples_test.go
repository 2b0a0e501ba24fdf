package server_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
)

// TestEveryPartHasAnExample: a program that embeds the service finds an example of each handler
// and of each function that it may pass in.
func TestEveryPartHasAnExample(t *testing.T) {
	t.Parallel()
	shown := namesInExamples(t, "example*_test.go", "tracing/example*_test.go")
	service, config := reflect.TypeFor[*server.Server](), reflect.TypeFor[server.Config]()
	parts := 0
	for m := range service.Methods() {
		if m.Type.NumIn() == 1 && m.Type.NumOut() == 1 && m.Type.Out(0) == reflect.TypeFor[http.Handler]() {
			parts++
			assert.True(t, shown[m.Name+"()"], "no example has Server.%s", m.Name)
		}
	}
	for f := range config.Fields() {
		if kind := f.Type.Kind(); f.IsExported() && (kind == reflect.Func || kind == reflect.Interface) {
			parts++
			assert.True(t, shown[f.Name], "no example has Config.%s", f.Name)
		}
	}
	require.Greater(t, parts, 15)
}

// namesInExamples returns the names of methods and fields that the bodies use.
func namesInExamples(t *testing.T, patterns ...string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, path := range files {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(f.Name.Name, "Example") {
					collect(f.Body, names)
				}
			}
		}
	}
	return names
}

// collect finds calls without arguments, such as Batches(), and fields that get a value.
func collect(body ast.Node, names map[string]bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && len(n.Args) == 0 {
				names[f.Sel.Name+"()"] = true
			}
		case *ast.AssignStmt:
			for _, to := range n.Lhs {
				if field, ok := to.(*ast.SelectorExpr); ok {
					names[field.Sel.Name] = true
				}
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok {
				names[key.Name] = true
			}
		}
		return true
	})
}
