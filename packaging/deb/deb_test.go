package deb_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// machine is a root folder with a real dpkg, and with fakes of the programs that reach beyond it.
type machine struct {
	root  string
	fakes string
	env   []string
}

// systemctl stands for systemd: it remembers what is enabled and what runs, as empty files.
const systemctl = `#!/bin/sh
set -e
cd "$STATE"
case "$*" in
daemon-reload) ;;
"try-restart transcriptd.service") test ! -e running || echo restarted >>events; test ! -e broken ;;
"disable --now transcriptd.service transcriptd.socket") rm -f enabled running; echo stopped >>events; test ! -e broken ;;
*) echo "systemctl: unexpected: $*" >&2; exit 1 ;;
esac
`

// sysusers makes the user in the root folder.
const sysusers = `#!/bin/sh
set -e
test "$2" = transcriptd.conf
echo "transcriptd:x:996:996::/var/lib/transcriptd:/usr/sbin/nologin" >"${1#--root=}/etc/passwd"
`

// chown only knows the user that was made.
const chown = `#!/bin/sh
test "$1" = transcriptd:transcriptd && grep -q '^transcriptd:' "$DPKG_ROOT/etc/passwd"
`

func newMachine(t *testing.T) *machine {
	t.Helper()
	for _, program := range []string{"dpkg", "dpkg-deb"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err) // not a Debian
		}
	}
	m := &machine{root: t.TempDir(), fakes: t.TempDir()}
	state := t.TempDir()
	for name, text := range map[string]string{"systemctl": systemctl, "systemd-sysusers": sysusers, "chown": chown} {
		require.NoError(t, os.WriteFile(filepath.Join(m.fakes, name), []byte(text), 0o700))
	}
	for _, dir := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates", "var/cache", "etc", "run/systemd/system"} {
		require.NoError(t, os.MkdirAll(filepath.Join(m.root, dir), 0o755))
	}
	for _, file := range []string{"var/lib/dpkg/status", "var/lib/dpkg/available", "etc/passwd"} {
		require.NoError(t, os.WriteFile(filepath.Join(m.root, file), nil, 0o644))
	}
	m.env = append(os.Environ(), "STATE="+state, "PATH="+m.fakes+":"+os.Getenv("PATH")+":/usr/sbin:/sbin")
	return m
}

// state returns the path of a fact that systemctl remembers.
func (m *machine) state(name string) string {
	for _, variable := range m.env {
		if dir, ok := strings.CutPrefix(variable, "STATE="); ok {
			return filepath.Join(dir, name)
		}
	}
	return ""
}

func (m *machine) set(t *testing.T, name string) {
	t.Helper()
	require.NoError(t, os.WriteFile(m.state(name), nil, 0o600))
}

// events returns what has happened to the service since the last call.
func (m *machine) events(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(m.state("events"))
	if !os.IsNotExist(err) {
		require.NoError(t, err)
		require.NoError(t, os.Remove(m.state("events")))
	}
	return strings.TrimSpace(string(text))
}

// dpkg runs dpkg on the root folder. dpkg calls the scripts as it does on every machine.
func (m *machine) dpkg(t *testing.T, args ...string) (said string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "dpkg", append([]string{"--root=" + m.root, "--force-not-root", "--force-script-chrootless", "--force-unsafe-io"}, args...)...)
	cmd.Env = m.env
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// pack makes a package of the scripts and the settings, without programs.
func pack(t *testing.T, version string) (path string) {
	t.Helper()
	dir := t.TempDir()
	control := filepath.Join(dir, "DEBIAN")
	settings := filepath.Join(dir, "etc", "transcriptd")
	for _, folder := range []string{control, settings} {
		require.NoError(t, os.MkdirAll(folder, 0o755))
	}
	for _, script := range []string{"postinst", "prerm", "postrm"} {
		text, err := os.ReadFile(script)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(control, script), text, 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(control, "control"), fmt.Appendf(nil,
		"Package: transcriptkit\nVersion: %s\nArchitecture: all\nMaintainer: test <test@example.com>\nDescription: test\n", version), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(control, "conffiles"), []byte("/etc/transcriptd/transcriptd.env\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(settings, "transcriptd.env"), nil, 0o600))
	path = filepath.Join(t.TempDir(), "transcriptkit_"+version+".deb")
	out, err := exec.CommandContext(t.Context(), "dpkg-deb", "--root-owner-group", "--build", dir, path).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return path
}

// An installation makes the user and the folders, and switches nothing on. A second one, over a
// service that an operator has switched off, does not start it.
func TestInstallIsOff(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.dpkg(t, "--install", pack(t, "1"))
	assert.Empty(t, m.events(t))
	for _, dir := range []string{"var/lib/transcriptd", "var/cache/transcriptd"} {
		st, err := os.Stat(filepath.Join(m.root, dir))
		require.NoError(t, err)
		assert.Equal(t, os.ModeDir|0o700, st.Mode())
	}
	m.dpkg(t, "--install", pack(t, "2"))
	assert.Empty(t, m.events(t), "it did not run")
}

// An upgrade restarts a service that runs, once, and keeps it enabled. A service that does not
// start again does not stop the upgrade.
func TestUpgradeRestarts(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.dpkg(t, "--install", pack(t, "1"))
	m.set(t, "enabled")
	m.set(t, "running")
	m.dpkg(t, "--install", pack(t, "2"))
	assert.Equal(t, "restarted", m.events(t))
	assert.FileExists(t, m.state("enabled"))
	m.set(t, "broken")
	assert.Contains(t, m.dpkg(t, "--install", pack(t, "3")), "journalctl -u transcriptd")
	assert.Equal(t, "restarted", m.events(t))
}

// A removal stops the service and keeps settings and data. A purge keeps the data and the files of
// the operator, and says where they are.
func TestRemovalKeepsData(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	deb := pack(t, "1")
	m.dpkg(t, "--install", deb)
	data := filepath.Join(m.root, "var/lib/transcriptd/transcriptd.db")
	require.NoError(t, os.WriteFile(data, nil, 0o600))
	m.set(t, "enabled")
	m.set(t, "running")

	m.dpkg(t, "--remove", "transcriptkit")
	assert.Equal(t, "stopped", m.events(t))
	assert.NoFileExists(t, m.state("enabled"))
	assert.FileExists(t, data)
	settings := filepath.Join(m.root, "etc/transcriptd/transcriptd.env")
	assert.FileExists(t, settings)

	plans := filepath.Join(m.root, "etc/transcriptd/plans.json")
	require.NoError(t, os.WriteFile(plans, nil, 0o600))
	said := m.dpkg(t, "--purge", "transcriptkit")
	assert.Contains(t, said, "still in /etc/transcriptd.")
	assert.Contains(t, said, "still in /var/lib/transcriptd.")
	assert.FileExists(t, data)
	assert.FileExists(t, plans)
	assert.NoFileExists(t, settings)
	assert.NoDirExists(t, filepath.Join(m.root, "var/cache/transcriptd"))

	require.NoError(t, os.Remove(data))
	require.NoError(t, os.Remove(plans))
	m.dpkg(t, "--install", deb)
	assert.NotContains(t, m.dpkg(t, "--purge", "transcriptkit"), "still in")
	assert.NoDirExists(t, filepath.Join(m.root, "var/lib/transcriptd"), "it was empty")
}

// A service that systemd does not stop is told, and the package can be removed all the same.
func TestRemovalGoesOn(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.dpkg(t, "--install", pack(t, "1"))
	m.set(t, "broken")
	assert.Contains(t, m.dpkg(t, "--remove", "transcriptkit"), "may still run")
}

// An older package takes the place of a newer one as in an upgrade. A package that was removed comes
// back to its data and its settings, and stays off.
func TestDowngradeAndReturn(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.dpkg(t, "--install", pack(t, "2"))
	m.set(t, "enabled")
	m.set(t, "running")
	kept := []string{"var/lib/transcriptd/transcriptd.db", "var/lib/transcriptd/blobs/uploads/acme/1", "etc/transcriptd/plans.json"}
	for _, name := range kept {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(m.root, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(m.root, name), []byte(name), 0o600))
	}
	settings := filepath.Join(m.root, "etc/transcriptd/transcriptd.env")
	require.NoError(t, os.WriteFile(settings, []byte("TRANSCRIPTD_ROLE=all\n"), 0o600))

	m.dpkg(t, "--install", pack(t, "1"))
	assert.Equal(t, "restarted", m.events(t))
	m.dpkg(t, "--remove", "transcriptkit")
	assert.Equal(t, "stopped", m.events(t))
	m.dpkg(t, "--install", pack(t, "1"))
	assert.Empty(t, m.events(t))
	assert.NoFileExists(t, m.state("enabled"))
	for _, name := range kept {
		text, err := os.ReadFile(filepath.Join(m.root, name))
		require.NoError(t, err)
		assert.Equal(t, name, string(text))
	}
	text, err := os.ReadFile(settings)
	require.NoError(t, err)
	assert.Equal(t, "TRANSCRIPTD_ROLE=all\n", string(text))
}

// In a container without systemd nothing is asked of it.
func TestWithoutSystemd(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	require.NoError(t, os.RemoveAll(filepath.Join(m.root, "run")))
	require.NoError(t, os.WriteFile(filepath.Join(m.fakes, "systemctl"), []byte("#!/bin/sh\nexit 1\n"), 0o700))
	m.dpkg(t, "--install", pack(t, "1"))
	m.dpkg(t, "--install", pack(t, "2"))
	m.dpkg(t, "--purge", "transcriptkit")
}
