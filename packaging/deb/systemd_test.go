package deb_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// analyze runs systemd-analyze on a copy of the units, in which an empty program stands for
// transcriptd. Without systemd the test is skipped, except with CI=true.
func analyze(t *testing.T, args ...string) (said string) {
	t.Helper()
	if _, err := exec.LookPath("systemd-analyze"); err != nil && os.Getenv("CI") == "" { //nolint:forbidigo // where systemd must be there
		t.Skip(err)
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "transcriptd")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700))
	for _, name := range []string{"transcriptd.service", "transcriptd.socket"} {
		text, err := os.ReadFile(filepath.Join("../systemd", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(strings.ReplaceAll(string(text), "/usr/bin/transcriptd", program)), 0o600))
	}
	cmd := exec.CommandContext(t.Context(), "systemd-analyze", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// systemd knows every setting.
func TestUnitsAreRight(t *testing.T) {
	t.Parallel()
	said := analyze(t, "verify", "--recursive-errors=no", "--man=no", "./transcriptd.service", "./transcriptd.socket")
	assert.NotContains(t, said, "transcriptd", "systemd ignores a setting")
}

// mostExposed is the most that systemd may count as exposed, of 10, and in tenths.
const mostExposed = "15"

// systemd counts the settings without which a service could do more than it must.
func TestUnitIsHardened(t *testing.T) {
	t.Parallel()
	said := analyze(t, "security", "--offline=yes", "--no-pager", "--threshold="+mostExposed, "./transcriptd.service")
	assert.Contains(t, said, "Overall exposure level for transcriptd.service")
}
