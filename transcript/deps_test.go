package transcript_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The domain does no I/O over a network: who reads and writes transcripts
// compiles in no HTTP and no TLS, and nothing of the client or the server.
func TestDependencies(t *testing.T) {
	t.Parallel()
	const module = "github.com/transcriptkit/transcriptkit/"
	for _, pkg := range []string{"transcript", "transcript/chunk", "transcript/caption", "transcript/format", "transcript/site", "batch", "batch/export", "library", "library/follow", "library/webhook"} {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", module+pkg).Output()
		require.NoError(t, err)
		deps := strings.Fields(string(out))
		require.Contains(t, deps, module+"transcript")
		for _, dep := range deps {
			for _, no := range []string{"net/http", "crypto/tls", "testing", module + "client", module + "server"} {
				assert.False(t, dep == no || strings.HasPrefix(dep, no+"/"), "%s imports %s", pkg, dep)
			}
		}
	}
}
