// Package lastversion finds the programs of the last version, for tests of upgrades. "make setup"
// compiles them into bin, from the commit of that version.
package lastversion

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Commit is the commit of the last version. The Makefile reads it here.
const Commit = "0fbb4945"

// The programs.
const (
	Transcriptd = "transcriptd"
	Transcribe  = "transcribe"
	E2E         = "e2e.test" // the tests of server/internal/e2e, which run as a service of that version
)

// Program returns the path of a program of the last version. If the program is not there, the test
// skips, or fails with CI=true.
func Program(t testing.TB, name string) string {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	path := filepath.Join(filepath.Dir(here), "..", "..", "..", "bin", "lastversion-"+Commit, name)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	const missing = "the programs of the last version are missing: run make setup in a clone that has the commit " + Commit
	if os.Getenv("CI") == "true" { //nolint:forbidigo // read by tests only: whether a skip is allowed
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}
