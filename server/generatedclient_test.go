package server_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/servertest"
)

// Whoever has no SDK makes one from the document: what an independent generator makes
// of it compiles, and understands the answers of a real service. The module of the
// client pins the generator; see its main.go for the calls.
func TestGeneratedClient(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles a client: make test-all")
	}
	s := start(t)
	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "This is a short talk."})
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/generatedclient")))
	document := s.get(t, "/docs/openapi.json", as("")).body
	require.NoError(t, os.WriteFile(filepath.Join(dir, "openapi.json"), []byte(document), 0o600))
	for _, args := range [][]string{
		{"tool", "oapi-codegen", "--config", "config.yaml", "openapi.json"},
		{"run", ".", s.URL, s.Key},
	} {
		command := exec.CommandContext(t.Context(), "go", args...)
		command.Dir = dir
		out, err := command.CombinedOutput()
		require.NoError(t, err, "go %s\n%s", args, out)
	}
}
