package house_test

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write testdata/exported.txt anew")

// TestExportedNames compares what users of the module can name with a list. A new name is a promise,
// so it shows in the difference of a change: go test ./internal/test/house -update.
func TestExportedNames(t *testing.T) {
	t.Parallel()
	const file = "testdata/exported.txt"
	var names []string
	for _, p := range packages(t) {
		if p.isPublic() {
			for _, name := range declared(t, p).exported {
				names = append(names, p.room()+"."+name)
			}
		}
	}
	slices.Sort(names)
	got := strings.Join(names, "\n") + "\n"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "the list is %s; -update writes it", file)
	t.Logf("%d exported names", len(names))
}

// hook is what gives away that code is there for tests. Tests set what they need by a constructor
// that takes it.
var hook = regexp.MustCompile(`(?i)\bonly tests\b|\bfor tests\b|\b(with)?tuning(of|key)?\b|^\s*testing +testing$|\.testing\.`)

func TestProductionHasNoHooks(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if p.forTests() {
			continue
		}
		assert.NotContains(t, p.Imports, "testing", p.room())
		for _, file := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, file))
			require.NoError(t, err)
			for line := range strings.Lines(string(text)) {
				assert.NotRegexp(t, hook, line, "%s/%s", p.room(), file)
			}
		}
	}
}

// declarations are what a package declares.
type declarations struct {
	methods  []string // the type of each method
	exported []string // names, those of methods and fields with the type before them
}

func declared(t *testing.T, p pkg) (d declarations) {
	t.Helper()
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				d.function(decl)
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					d.spec(spec)
				}
			}
		}
	}
	return d
}

func (d *declarations) function(f *ast.FuncDecl) {
	name, of := f.Name.Name, ""
	if f.Recv != nil {
		of = receiver(f.Recv.List[0].Type)
		d.methods = append(d.methods, of)
	}
	d.name(of, name)
}

func (d *declarations) spec(spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			d.name("", name.Name)
		}
	case *ast.TypeSpec:
		d.name("", spec.Name.Name)
		switch of := spec.Type.(type) {
		case *ast.StructType:
			d.members(spec.Name.Name, of.Fields)
		case *ast.InterfaceType:
			d.members(spec.Name.Name, of.Methods)
		}
	}
}

func (d *declarations) members(of string, members *ast.FieldList) {
	for _, member := range members.List {
		for _, name := range member.Names {
			d.name(of, name.Name)
		}
	}
}

// name notes a name that other packages can see.
func (d *declarations) name(of, name string) {
	if !ast.IsExported(name) || of != "" && !ast.IsExported(of) {
		return
	}
	if of != "" {
		name = of + "." + name
	}
	d.exported = append(d.exported, name)
}

// receiver is the name of the type of a receiver.
func receiver(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.StarExpr:
		return receiver(of.X)
	case *ast.IndexExpr:
		return receiver(of.X)
	case *ast.IndexListExpr:
		return receiver(of.X)
	case *ast.Ident:
		return of.Name
	}
	return ""
}
