package main_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The package has what it should have, as root's, and only root reads the settings.
func TestDebianPackage(t *testing.T) {
	t.Parallel()
	need(t, "dpkg-deb")
	path := only(t, "transcriptkit_*.deb")
	entry := regexp.MustCompile(`^(\S+) (\S+) +\d+ \S+ \S+ \./(.*)$`)
	modes := map[string]string{}
	for line := range strings.Lines(answer(t, "dpkg-deb", "--contents", path)) {
		found := entry.FindStringSubmatch(strings.TrimSpace(line))
		if !assert.NotNil(t, found, line) {
			continue
		}
		assert.Equal(t, "root/root", found[2], line)
		if !strings.HasSuffix(found[3], "/") {
			modes[found[3]] = found[1]
		}
	}
	const plain, program, secret = "-rw-r--r--", "-rwxr-xr-x", "-rw-------"
	want := map[string]string{
		"usr/share/doc/transcriptkit/copyright":      plain,
		"usr/share/doc/transcriptkit/LICENSES.txt":   plain,
		"usr/share/doc/transcriptkit/README.md":      plain,
		"usr/share/doc/transcriptkit/CHANGELOG.md":   plain,
		"usr/lib/systemd/system/transcriptd.service": plain,
		"usr/lib/systemd/system/transcriptd.socket":  plain,
		"usr/lib/sysusers.d/transcriptd.conf":        plain,
		"usr/lib/tmpfiles.d/transcriptd.conf":        plain,
		"etc/transcriptd/transcriptd.env":            secret,
	}
	for _, name := range programs {
		want["usr/bin/"+name] = program
		for _, about := range []string{"man/man1/" + name + ".1.gz", "bash-completion/completions/" + name, "zsh/vendor-completions/_" + name, "fish/vendor_completions.d/" + name + ".fish"} {
			want["usr/share/"+about] = plain
		}
	}
	assert.Equal(t, want, modes)

	dir := t.TempDir()
	answer(t, "dpkg-deb", "--control", path, dir)
	assert.Equal(t, "/etc/transcriptd/transcriptd.env\n", answer(t, "cat", filepath.Join(dir, "conffiles")), "an upgrade keeps the settings")
	for _, script := range []string{"postinst", "prerm", "postrm"} {
		answer(t, "test", "-x", filepath.Join(dir, script))
		assert.Equal(t, answer(t, "cat", "../deb/"+script), answer(t, "cat", filepath.Join(dir, script)))
	}
	assert.Contains(t, answer(t, "dpkg-deb", "--field", path, "Recommends"), "ffmpeg")
	version := strings.TrimSpace(answer(t, "dpkg-deb", "--field", path, "Version"))
	for _, later := range []string{"0.1.0~rc1", "0.1.0"} { // a package of a commit before the release is older
		assert.NoError(t, exec.CommandContext(t.Context(), "dpkg", "--compare-versions", version, "lt", later).Run(), version)
	}
	assert.NoError(t, exec.CommandContext(t.Context(), "dpkg", "--validate-version", version).Run(), version)
}
