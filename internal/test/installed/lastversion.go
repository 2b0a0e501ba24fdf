// Package installed finds and starts programs for tests that make setup has put into bin: those of the
// last version of ours, for tests of upgrades, and a real Whisper.
package installed

import (
	"os"
	"path/filepath"
	"testing"
)

// LastCommit is the commit of the last version. .ci/tools.mk reads it here.
const LastCommit = "0fbb4945"

// The programs of the last version.
const (
	Transcriptd = "transcriptd"
	Transcribe  = "transcribe"
	E2E         = "e2e.test" // the tests of server/internal/e2e, which run as a service of that version
)

// LastVersion returns the path of a program of the last version. If the program is not there, the test
// skips, or fails with CI=true.
func LastVersion(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(root(), "bin", "lastversion-"+LastCommit, name)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	const missing = "the programs of the last version are missing: run make setup in a clone that has the commit " + LastCommit
	if os.Getenv("CI") == "true" { //nolint:forbidigo // read by tests only: whether a skip is allowed
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}
