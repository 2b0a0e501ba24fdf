// Package mcpconformance_test runs the protocol's own tests of MCP servers against the service.
// Package.json pins these tests; make mcp-conformance installs and runs them. A file of expected
// failures, one for each version of the protocol, names the tests of what the service does not
// have, with the reasons.
package mcpconformance_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/pace"
)

var suiteFlag = flag.Bool("suite", false, "run the protocol's own tests (make mcp-conformance)")

// passed counts the tests in the output of the suite.
var passed = regexp.MustCompile(`(?m)^Total: (.*)$`)

// The versions of the protocol, and how the suite is asked for their tests. The suite has no frozen
// list for the oldest version.
func TestConformance(t *testing.T) {
	t.Parallel()
	if !*suiteFlag {
		t.Skip("needs the packages from npm: make mcp-conformance")
	}
	for version, tests := range map[string][]string{
		"2025-06-18": {"--spec-version", "2025-06-18", "--suite", "all"},
		"2025-11-25": {"--requirements", "2025-11-25"},
		"2026-07-28": {"--requirements", "2026-07-28"},
	} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			failures, err := filepath.Abs("expected-failures-" + version + ".yaml")
			require.NoError(t, err)
			suite, err := filepath.Abs("../../bin/mcp-conformance")
			require.NoError(t, err)
			results := t.TempDir()
			cmd := exec.CommandContext(t.Context(), "node", append([]string{
				"--import", filepath.Join(suite, "oldnode.mjs"), filepath.Join(suite, "node_modules", ".bin", "conformance"),
				"server", "--url", serve(t) + "/mcp", "--expected-failures", failures, "--output-dir", results,
			}, tests...)...)
			cmd.Dir = t.TempDir()
			cmd.Env = append(os.Environ(), "NO_COLOR=1")
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s\n%s", out, failed(t, results))
			found := passed.FindStringSubmatch(string(out))
			require.NotNil(t, found, string(out))
			t.Logf("%s: %s", version, found[1])
		})
	}
}

// failed returns the failed checks in the results of the suite.
func failed(t *testing.T, results string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(results, "*", "checks.json"))
	require.NoError(t, err)
	var list strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var checks []struct{ ID, Status, ErrorMessage string }
		require.NoError(t, json.Unmarshal(text, &checks))
		for _, check := range checks {
			if check.Status == "FAILURE" {
				fmt.Fprintf(&list, "%s %s: %s\n", filepath.Base(filepath.Dir(file)), check.ID, check.ErrorMessage)
			}
		}
	}
	return list.String()
}

// serve starts the service and returns its address. The suite sends no keys, so that the service
// knows its requests in another way.
func serve(t *testing.T) string {
	t.Helper()
	srv, err := server.New(t.Context(), server.Config{
		Store: storetest.Open(t, storetest.SQLite(t)), Dir: t.TempDir(), Authenticator: anybody{},
		Pace: pace.Config{Rate: pace.Unlimited()},
		Engine: func(engine.Host) (engine.Engine, error) {
			return engine.Engine{Captions: []engine.CaptionSource{slowCaptions{}}}, nil
		},
	})
	require.NoError(t, err)
	require.NoError(t, srv.Start(t.Context()))
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	web := srv.HTTPServer("")
	web.Handler = fixtures(web.Handler)
	go func() { _ = web.Serve(srv.Listener(listener)) }() // returns when it is shut down
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		assert.NoError(t, srv.Stop(ctx))
	})
	return "http://" + listener.Addr().String()
}

// anybody lets every request in.
type anybody struct{}

func (anybody) Authenticate(context.Context, *http.Request) (account.Principal, error) {
	return account.Principal{Account: "suite", Scopes: account.Scopes(), Plan: account.WithoutLimits("suite")}, nil
}
