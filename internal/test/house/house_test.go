// Package house_test holds the bounds of the house: how large a room may be, which room may import
// which, and what a user of the module may name. Whoever breaks a bound makes the room smaller.
package house_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/transcriptkit/transcriptkit"

// The bounds of a room, which is a package.
const (
	maxLines   = 6000 // of its files together, without tests
	maxFiles   = 45   // without tests
	maxImports = 20   // of our own packages. Main programs, server and service put rooms together and have no bound.
	maxMethods = 45   // of one type
)

func TestRoomsAreSmall(t *testing.T) {
	t.Parallel()
	lines, files, imports := map[string]int{}, map[string]int{}, map[string]int{}
	for _, p := range packages(t) {
		files[p.room()] = len(p.GoFiles)
		for _, file := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, file))
			require.NoError(t, err)
			lines[p.room()] += strings.Count(string(text), "\n")
		}
		if p.Name != "main" && p.room() != "server" && p.room() != "server/internal/service" {
			imports[p.room()] = len(p.own())
		}
	}
	bounded(t, "lines", lines, maxLines)
	bounded(t, "files", files, maxFiles)
	bounded(t, "imports of our own packages", imports, maxImports)
	t.Logf("%d lines without tests in %d packages", sum(lines), len(lines))
}

func TestTypesAreSmall(t *testing.T) {
	t.Parallel()
	methods := map[string]int{}
	for _, p := range packages(t) {
		for _, of := range declared(t, p).methods {
			methods[p.room()+"."+of]++
		}
	}
	bounded(t, "methods", methods, maxMethods)
}

// bounded compares what each room has with a bound.
func bounded(t *testing.T, what string, has map[string]int, most int) {
	t.Helper()
	for _, room := range slices.Sorted(maps.Keys(has)) {
		assert.LessOrEqual(t, has[room], most, "%s: %s", room, what)
	}
}

// A package is what go list says of one.
type pkg struct {
	Name, Dir, ImportPath string
	GoFiles, Imports      []string
}

// room is the path of a package in the module; "" is the root.
func (p pkg) room() string { return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/") }

// own are the rooms that a package imports.
func (p pkg) own() (rooms []string) {
	for _, path := range p.Imports {
		if room, ok := strings.CutPrefix(path, module+"/"); ok {
			rooms = append(rooms, room)
		}
	}
	return rooms
}

// isPublic reports whether other modules can import a package to use it.
func (p pkg) isPublic() bool {
	return p.Name != "main" && !strings.Contains("/"+p.room()+"/", "/internal/") && !strings.HasPrefix(p.room(), "examples/")
}

// forTests reports whether a package serves tests only, those of this module or of its users.
func (p pkg) forTests() bool {
	return under(p.room(), "internal/test") || strings.HasSuffix(p.Name, "test") || strings.Contains(p.room(), "enginetest")
}

// under reports whether a room is another room or stands below it.
func under(room, other string) bool { return room == other || strings.HasPrefix(room, other+"/") }

var list = sync.OnceValues(func() (all []pkg, err error) {
	out, err := exec.Command("go", "list", "-json=Name,Dir,ImportPath,GoFiles,Imports", module+"/...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		if len(p.GoFiles) > 0 {
			all = append(all, p)
		}
	}
})

// packages are the packages of the module that have code beside tests.
func packages(t *testing.T) []pkg {
	t.Helper()
	all, err := list()
	require.NoError(t, err)
	return all
}

func sum(numbers map[string]int) (n int) {
	for _, number := range numbers {
		n += number
	}
	return n
}
