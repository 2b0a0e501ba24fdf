package server_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A program that embeds the service compiles in no engine and no object store that it
// did not choose, and nothing that is for tests or for callers.
func TestServerDependsOnNoAdapter(t *testing.T) {
	t.Parallel()
	const module = "github.com/transcriptkit/transcriptkit/"
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", module+"server").Output()
	require.NoError(t, err)
	deps := strings.Fields(string(out))
	require.Contains(t, deps, module+"server/internal/intake")
	var own []string
	for _, dep := range deps {
		if name, ok := strings.CutPrefix(dep, module); ok {
			own = append(own, name)
		}
		for _, no := range []string{
			"testing", "github.com/stretchr/testify", "github.com/getkin/kin-openapi",
			"github.com/aws", "github.com/Azure", "cloud.google.com/go/storage",
			"gocloud.dev/blob/s3blob", "gocloud.dev/blob/gcsblob", "gocloud.dev/blob/azureblob",
			// gocloud.dev counts by OpenTelemetry, and traces nothing.
			"go.opentelemetry.io/contrib", "go.opentelemetry.io/otel/sdk/trace", "go.opentelemetry.io/otel/exporters",
		} {
			assert.False(t, dep == no || strings.HasPrefix(dep, no+"/"), "%s is compiled in", dep)
		}
	}
	assert.ElementsMatch(t, []string{
		"batch", "batch/export", "docs",
		"internal/clip", "internal/egress", "internal/feed", "internal/legible", "internal/redact", "internal/resumable", "internal/retryafter", "internal/run",
		"internal/scratch", "internal/webhooksign", "internal/wire",
		"library", "library/follow", "library/webhook",
		"server", "server/account", "server/engine", "server/pace", "server/speech", "server/store",
		"server/internal/api", "server/internal/api/about", "server/internal/api/bulk", "server/internal/api/discovery", "server/internal/api/endpoints",
		"server/internal/api/jobs", "server/internal/api/published", "server/internal/api/recordingform", "server/internal/api/resource",
		"server/internal/api/saved", "server/internal/api/submitting", "server/internal/api/subscriptions", "server/internal/ask", "server/internal/attempt", "server/internal/audio", "server/internal/backup",
		"server/internal/batcher", "server/internal/blobs", "server/internal/cluster", "server/internal/corrections", "server/internal/db", "server/internal/disks",
		"server/internal/edge", "server/internal/follower", "server/internal/hooks", "server/internal/joblist", "server/internal/labels", "server/internal/language", "server/internal/librarysize", "server/internal/lifecycle",
		"server/internal/limits", "server/internal/mcp", "server/internal/metrics", "server/internal/openaiface", "server/internal/openapi", "server/internal/outage",
		"server/internal/packed", "server/internal/pasttext", "server/internal/queue", "server/internal/intake", "server/internal/recognize", "server/internal/step", "server/internal/uploads",
		"server/internal/work", "server/internal/recent", "server/internal/recognition",
		"server/internal/recordings", "server/internal/request", "server/internal/retention", "server/internal/savedtexts", "server/internal/search",
		"server/internal/service", "server/internal/shares", "server/internal/shortlink", "server/internal/sqldb", "server/internal/subject", "server/internal/tables", "server/internal/textfeed",
		"server/internal/throttle", "server/internal/together", "server/internal/underway", "server/internal/view", "server/internal/delivery", "server/internal/window",
		"server/internal/wordindex",
		"transcript", "transcript/caption", "transcript/chunk", "transcript/format", "transcript/internal/cleaning", "transcript/internal/eight", "transcript/internal/grapheme", "transcript/internal/letters", "transcript/internal/oldtext", "transcript/site",
		"transcript/video",
	}, own)
}

// Who does not import package tracing compiles in no more of OpenTelemetry than the
// blob stores bring along: nothing of this module asks for it, and the client has none.
func TestTracingIsForWhoImportsIt(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the compiler works here: make lint runs it")
	}
	const module, otel = "github.com/transcriptkit/transcriptkit/", "go.opentelemetry.io/"
	deps := func(pkg string) string {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", `{{.ImportPath}}: {{join .Imports " "}}`, module+pkg).Output()
		require.NoError(t, err)
		return string(out)
	}
	for _, pkg := range []string{"server", "examples/embed", "examples/transcriptd"} {
		for line := range strings.Lines(deps(pkg)) {
			if strings.HasPrefix(line, module) {
				assert.NotContains(t, line, otel, pkg)
				assert.NotContains(t, line, module+"server/tracing", pkg)
			}
		}
	}
	for _, no := range []string{otel + "contrib/", otel + "otel/sdk/trace"} {
		assert.NotContains(t, deps("server"), no)
	}
	assert.NotContains(t, deps("client"), otel)
	assert.Contains(t, deps("server/tracing"), otel+"contrib/instrumentation/net/http/otelhttp")
}
