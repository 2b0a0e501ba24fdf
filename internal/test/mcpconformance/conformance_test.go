// Package mcpconformance_test runs the protocol's own tests of MCP servers against the service.
// Package.json pins these tests; make mcp-conformance installs and runs them. A file of expected
// failures, one for each version of the protocol, names the tests of what the service does not
// have, with the reasons.
package mcpconformance_test

import (
	"context"
	"encoding/json"
	"flag"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
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
			suite, err := filepath.Abs("../../../bin/mcp-conformance")
			require.NoError(t, err)
			results := t.TempDir()
			cmd := exec.CommandContext(t.Context(), "node", append([]string{
				"--import", filepath.Join(suite, "oldnode.mjs"), filepath.Join(suite, "node_modules", ".bin", "conformance"),
				"server", "--url", serve(t) + "/mcp", "--expected-failures", failures, "--output-dir", results,
			}, tests...)...)
			cmd.Dir = t.TempDir()
			cmd.Env = append(os.Environ(), "NO_COLOR=1")
			out, err := cmd.CombinedOutput()
			list := failed(t, results)
			require.NoError(t, err, "%s\n%s", out, list)
			assert.Subset(t, slices.Collect(maps.Keys(inapplicable)), ofTasks(list), "%s", list)
			found := passed.FindStringSubmatch(string(out))
			require.NotNil(t, found, string(out))
			t.Logf("%s: %s", version, found[1])
		})
	}
}

// inapplicable are the checks of the extension Tasks that do not apply to the service, with the
// reasons. The suite runs the tests of Tasks, but no failure of theirs fails the suite.
var inapplicable = map[string]string{
	"tasks-headers-tolerate-mcp-method-on-tools-call":          "no tool of the service greets",
	"sep-2663-tasks-get-status-failed":                         "no job fails by an error of the protocol",
	"sep-2663-server-returns-missing-capability-when-required": "no tool needs Tasks",
	"sep-2663-tasks-get-status-input-required":                 "no task asks for input",
	"tasks-mrtr-tasks-update-resumes":                          "no task asks for input",
	"tasks-mrtr-partial-fulfillment":                           "no task asks for input",
	"sep-2663-mrtr-synchronous-before-task-creation":           "no tool asks for input",
}

// ofTasks returns the checks of Tasks in a list of failures.
func ofTasks(list []failure) (ids []string) {
	for _, f := range list {
		if strings.HasPrefix(f.scenario, "server-tasks-") {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

// failure is a failed check.
type failure struct{ scenario, ID, Status, ErrorMessage string }

// failed returns the failed checks in the results of the suite.
func failed(t *testing.T, results string) (list []failure) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(results, "*", "checks.json"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var checks []failure
		require.NoError(t, json.Unmarshal(text, &checks))
		for _, check := range checks {
			if check.Status == "FAILURE" {
				check.scenario = filepath.Base(filepath.Dir(file))
				list = append(list, check)
			}
		}
	}
	return list
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
