// Package mutants_test takes lines out of the service, one at a time, and sees the tests
// fail that server/OWASP.md names for them: a test that passes without its line proves
// nothing.
//
//	go test ./internal/test/mutants -run TestMutants -mutants
package mutants_test

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	kill = flag.Bool("mutants", false, "run the tests on each mutant, which takes many minutes")
	only = flag.String("mutant", "", "of the mutants, only those whose file or test has this in its name")
)

// root is the folder of the module.
const root = "../../.."

// names are the package and the name of the test.
func (m mutant) names() (pkg, test string) {
	pkg, test, _ = strings.Cut(m.test, " ")
	return pkg, test
}

// mutated is the text of the file with the line changed.
func (m mutant) mutated(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, m.file))
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(text), m.old), "%s has %q exactly once", m.file, m.old)
	return strings.Replace(string(text), m.old, m.new, 1)
}

// TestTable: each row applies to the source as it is, and its test is named by OWASP.md.
func TestTable(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "server/OWASP.md"))
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(table), 40)
	seen := map[mutant]bool{}
	for _, m := range table {
		assert.NotEqual(t, m.old, m.new)
		assert.False(t, seen[m], "twice: %v", m)
		seen[m] = true
		m.mutated(t)
		assert.Contains(t, string(page), "`"+m.test+"`")
	}
}

// TestMutants: the tests pass on the source as it is, and each fails on its mutant.
func TestMutants(t *testing.T) {
	if !*kill {
		t.Skip("it takes many minutes: -mutants")
	}
	var chosen []mutant
	for _, m := range table {
		if strings.Contains(m.file+" "+m.test, *only) {
			chosen = append(chosen, m)
		}
	}
	passOnTheSource(t, chosen)
	var mu sync.Mutex
	var survivors []string
	t.Run("each", func(t *testing.T) {
		for _, m := range chosen {
			t.Run(filepath.Base(m.file)+"/"+strings.ReplaceAll(m.test, "/", "."), func(t *testing.T) {
				t.Parallel()
				if output, caught := m.run(t); !caught {
					mu.Lock()
					defer mu.Unlock()
					survivors = append(survivors, m.file+": "+m.old)
					t.Errorf("%s does not see that %s has no %q: %s", m.test, m.file, m.old, output)
				}
			})
		}
	})
	t.Logf("%d mutants, %d caught, these are not: %q", len(chosen), len(chosen)-len(survivors), survivors)
}

// passOnTheSource runs the tests of the mutants on the source: a test that fails anyway,
// or that is skipped, sees nothing.
func passOnTheSource(t *testing.T, all []mutant) {
	t.Helper()
	tests := map[string][]string{}
	for _, m := range all {
		if pkg, test := m.names(); !slices.Contains(tests[pkg], test) {
			tests[pkg] = append(tests[pkg], test)
		}
	}
	for pkg, names := range tests {
		output, err := goTest(t, pkg, names, "-v")
		require.NoError(t, err, output)
		for _, name := range names {
			require.Contains(t, output, "--- PASS: "+name+" ", output)
		}
	}
}

var failed = regexp.MustCompile(`(?m)^--- FAIL: |^panic: `)

// run runs the test of a mutant. It is caught where the test fails, and not where the
// mutant does not compile.
func (m mutant) run(t *testing.T) (output string, caught bool) {
	t.Helper()
	dir := t.TempDir()
	file, err := filepath.Abs(filepath.Join(root, m.file))
	require.NoError(t, err)
	changed := filepath.Join(dir, "mutant.go")
	require.NoError(t, os.WriteFile(changed, []byte(m.mutated(t)), 0o600))
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{file: changed}})
	require.NoError(t, err)
	list := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(list, overlay, 0o600))
	pkg, test := m.names()
	output, err = goTest(t, pkg, []string{test}, "-overlay", list)
	return output, err != nil && failed.MatchString(output)
}

// goTest runs tests of a package.
func goTest(t *testing.T, pkg string, tests []string, flags ...string) (output string, err error) {
	t.Helper()
	args := append([]string{"test", "-count=1", "-vet=off", "-timeout", "5m", "-run", "^(" + strings.Join(tests, "|") + ")$"}, flags...)
	cmd := exec.CommandContext(t.Context(), "go", append(args, "./"+pkg)...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	return string(out), err
}
