package server_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// promise is a row of PROMISES.md, or of OWASP.md.
type promise struct {
	section string // of API.md, or the risk
	says    string
	tests   []string // as in "server/account TestRevoke", or with a subtest behind a slash
}

func readPromises(t *testing.T, page string) (all []promise) {
	t.Helper()
	b, err := os.ReadFile(page)
	require.NoError(t, err)
	section := ""
	for line := range strings.Lines(string(b)) {
		if title, found := strings.CutPrefix(line, "## "); found {
			section = strings.TrimSpace(title)
			continue
		}
		says, tests, found := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "| "), " |"), " | ")
		if strings.HasPrefix(line, "| ") && says != "Promise" && says != "What holds" {
			require.True(t, found, "no row: %s", line)
			all = append(all, promise{section, says, backticked(tests)})
		}
	}
	return all
}

// Every promise names a test that there is, and stands under the heading of API.md that
// tells of it, in the order of that file. Every operation promises something.
func TestPromises(t *testing.T) {
	t.Parallel()
	promises, tests, seen := readPromises(t, "PROMISES.md"), testFiles{}, map[string]bool{}
	var sections []string
	for _, p := range promises {
		assert.False(t, seen[p.section+p.says], "%s: %q stands twice", p.section, p.says)
		seen[p.section+p.says] = true
		if !slices.Contains(sections, p.section) {
			sections = append(sections, p.section)
		}
		p.isHeld(t, tests)
	}
	var headings []string
	for _, part := range readAPIDoc(t).parts {
		assert.True(t, part.level != 3 || slices.Contains(sections, part.title), "nothing is promised of %s", part.title)
		if slices.Contains(sections, part.title) && !slices.Contains(headings, part.title) {
			headings = append(headings, part.title)
		}
	}
	assert.Equal(t, headings, sections, "sections that API.md has, in its order, each once")
	t.Logf("%d promises under %d headings", len(promises), len(sections))
}

// isHeld asserts that there are tests which hold the promise.
func (p promise) isHeld(t *testing.T, tests testFiles) {
	t.Helper()
	assert.NotEmpty(t, p.tests, "%s: no test holds %q", p.section, p.says)
	for _, name := range p.tests {
		assert.True(t, tests.have(t, name), "%s: %q: there is no test %s", p.section, p.says, name)
	}
}

// testFiles are the tests of packages, by the folder and the name of the test: each has
// the strings of its file, of which the names of subtests are made.
type testFiles map[string]map[string]map[string]bool

func (all testFiles) have(t *testing.T, name string) bool {
	t.Helper()
	folder, test, _ := strings.Cut(name, " ")
	test, subtest, _ := strings.Cut(test, "/")
	if all[folder] == nil {
		all[folder] = readTests(t, filepath.Join("..", filepath.FromSlash(folder)))
	}
	said, there := all[folder][test]
	return there && (subtest == "" || said[subtest])
}

func readTests(t *testing.T, dir string) map[string]map[string]bool {
	t.Helper()
	found := map[string]map[string]bool{}
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	require.NoError(t, err)
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		said := map[string]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				value, err := strconv.Unquote(literal.Value)
				require.NoError(t, err)
				said[value] = true
			}
			return true
		})
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && (strings.HasPrefix(f.Name.Name, "Test") || strings.HasPrefix(f.Name.Name, "Fuzz")) {
				found[f.Name.Name] = said
			}
		}
	}
	return found
}
