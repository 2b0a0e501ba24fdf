package house_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestImporters makes a module that imports the client, and one that imports the service, as a user
// does. The go command also writes into go.sum what the tests of an imported package import: if a
// test of package client imports the service, each user of the client gets 150 lines more.
func TestImporters(t *testing.T) {
	t.Parallel()
	t.Run("client", func(t *testing.T) {
		t.Parallel()
		dir := importer(t, "client")
		sums, err := os.ReadFile(filepath.Join(dir, "go.sum"))
		require.NoError(t, err)
		lines := strings.Count(string(sums), "\n")
		t.Logf("go.sum has %d lines", lines)
		assert.LessOrEqual(t, lines, 75)
		assert.NotContains(t, compiled(t, dir), "github.com/rivo/uniseg", "the rules of Unicode are for package chunk")
	})
	t.Run("server", func(t *testing.T) {
		t.Parallel()
		out := compiled(t, importer(t, "server"))
		require.Contains(t, out, "modernc.org/sqlite")
		for _, no := range []string{"github.com/aws/", "github.com/Azure/", "cloud.google.com/go/storage", "github.com/chromedp", "github.com/openai"} {
			assert.NotContains(t, out, no)
		}
	})
}

// noNetwork is what the go command says if it needs a module that it cannot fetch.
var noNetwork = regexp.MustCompile(`dial tcp|no such host|module lookup disabled|connection refused|i/o timeout`)

// importer makes a module that imports a package of this one, and returns its folder.
func importer(t *testing.T, of string) (dir string) {
	t.Helper()
	root, err := filepath.Abs("../../..")
	require.NoError(t, err)
	dir = t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  fmt.Sprintf("module example.test/importer\n\ngo 1.26\n\nrequire %s v0.0.0\n\nreplace %[1]s => %s\n", module, root),
		"main.go": fmt.Sprintf("package main\n\nimport _ %q\n\nfunc main() {}\n", module+"/"+of),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	tidy := exec.CommandContext(t.Context(), "go", "mod", "tidy")
	tidy.Dir = dir
	out, err := tidy.CombinedOutput()
	if err != nil && noNetwork.Match(out) {
		t.Skip("the tests of other modules import modules that are not here, and there is no network")
	}
	require.NoError(t, err, string(out))
	return dir
}

// compiled lists the packages that a module's program compiles.
func compiled(t *testing.T, dir string) string {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", ".")
	list.Dir = dir
	out, err := list.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}
