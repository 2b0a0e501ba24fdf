package server_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOWASP proves that OWASP.md has each risk of the list, in order, and that every test that
// the page names exists.
func TestOWASP(t *testing.T) {
	t.Parallel()
	tests := testFiles{}
	var risks []string
	for _, d := range readDefenses(t, "OWASP.md") {
		number := regexp.MustCompile(`^API\d+:2023 `).FindString(d.risk)
		assert.NotEmpty(t, number, d.risk)
		if !slices.Contains(risks, number) {
			risks = append(risks, number)
		}
		assert.NotEmpty(t, d.tests, "%s: no test holds %q", d.risk, d.says)
		for _, name := range d.tests {
			assert.True(t, tests.have(t, name), "%s: %q: there is no test %s", d.risk, d.says, name)
		}
	}
	assert.Equal(t, []string{
		"API1:2023 ", "API2:2023 ", "API3:2023 ", "API4:2023 ", "API5:2023 ",
		"API6:2023 ", "API7:2023 ", "API8:2023 ", "API9:2023 ", "API10:2023 ",
	}, risks)
}

// defense is a row of OWASP.md.
type defense struct {
	risk  string
	says  string
	tests []string // "server/account TestRevoke", or with a subtest behind a slash
}

func readDefenses(t *testing.T, page string) (all []defense) {
	t.Helper()
	b, err := os.ReadFile(page)
	require.NoError(t, err)
	risk := ""
	for line := range strings.Lines(string(b)) {
		if title, found := strings.CutPrefix(line, "## "); found {
			risk = strings.TrimSpace(title)
			continue
		}
		says, tests, found := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "| "), " |"), " | ")
		if strings.HasPrefix(line, "| ") && says != "What holds" {
			require.True(t, found, "no row: %s", line)
			all = append(all, defense{risk, says, backticked(tests)})
		}
	}
	return all
}

// testFiles are the tests of packages by folder and name. Each test has the strings of its
// file, because subtests are named by such strings.
type testFiles map[string]map[string]map[string]bool

// have reports whether the test exists. The name has the form of defense.tests.
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
