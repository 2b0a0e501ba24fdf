package server_test

import (
	"bytes"
	"errors"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a user of the module can name, calls nothing that is internal, nor a type of
// the queue or of the database's library: those may change freely.
func TestNothingInternalIsExported(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the compiler works here: make lint runs it")
	}
	const module = "github.com/transcriptkit/transcriptkit/"
	packages := exported(t, module+"...")
	require.Contains(t, packages, module+"server/store")
	for path, p := range packages {
		if !strings.HasPrefix(path, module) || strings.Contains(path, "/internal/") || p.Name() == "main" {
			continue
		}
		walk := surface{seen: map[types.Type]bool{}, found: func(named *types.TypeName) {
			used := named.Pkg().Path()
			if path == module+"server/store" && named.Name() == "Handle" || path == module+"server" && named.Name() == "Inside" {
				return // a Store holds the database by it, and a Config its inner settings: they show nothing of it
			}
			for _, hidden := range []string{"/internal/", "github.com/riverqueue/", "github.com/uptrace/bun"} {
				assert.NotContains(t, used, hidden, "%s shows %s", path, named.Name())
			}
		}}
		for _, name := range p.Scope().Names() {
			if o := p.Scope().Lookup(name); o.Exported() {
				walk.object(o)
			}
		}
	}
}

// exported are the packages of the pattern as the compiler shows them to others, by
// path, with all that they import.
func exported(t *testing.T, pattern string) map[string]*types.Package {
	t.Helper()
	var stderr bytes.Buffer
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-export", "-f", "{{.ImportPath}} {{.Export}}", pattern)
	list.Stderr = &stderr
	out, err := list.Output()
	require.NoError(t, err, stderr.String())
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	compiled := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if files[path] == "" {
			return nil, errors.New("nothing compiled of " + path)
		}
		return os.Open(files[path])
	})
	packages := map[string]*types.Package{}
	for path, file := range files {
		if file == "" || !strings.HasPrefix(path, strings.TrimSuffix(pattern, "...")) {
			continue
		}
		packages[path], err = compiled.Import(path)
		require.NoError(t, err, path)
	}
	return packages
}

// surface walks through all that one can write who has an exported name.
type surface struct {
	seen  map[types.Type]bool
	found func(*types.TypeName)
}

func (s surface) object(o types.Object) {
	s.walk(o.Type())
	name, ok := o.(*types.TypeName)
	if !ok {
		return
	}
	for method := range types.NewMethodSet(types.NewPointer(name.Type())).Methods() {
		if method.Obj().Exported() {
			s.walk(method.Type())
		}
	}
	s.walk(name.Type().Underlying())
}

func (s surface) walk(t types.Type) {
	if s.seen[t] {
		return
	}
	s.seen[t] = true
	switch t := t.(type) {
	case *types.Alias:
		s.walk(types.Unalias(t))
	case *types.Named:
		if t.Obj().Pkg() != nil { // else it is "error"
			s.found(t.Obj())
		}
		for arg := range t.TypeArgs().Types() {
			s.walk(arg)
		}
	case *types.Struct:
		for field := range t.Fields() {
			if field.Exported() || field.Embedded() {
				s.walk(field.Type())
			}
		}
	case *types.Interface:
		for method := range t.Methods() {
			if method.Exported() {
				s.walk(method.Type())
			}
		}
	case *types.Signature:
		for param := range t.Params().Variables() {
			s.walk(param.Type())
		}
		for result := range t.Results().Variables() {
			s.walk(result.Type())
		}
	case *types.Map:
		s.walk(t.Key())
		s.walk(t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		s.walk(t.Elem())
	}
}
