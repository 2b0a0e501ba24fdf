package main_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var full = flag.String("full", "", "the file with the image full, which make release-full makes")

// The image full recognizes speech, as its user and with a root that cannot be written to, and its
// programs for links are there.
func TestImageFull(t *testing.T) {
	t.Parallel()
	if *full == "" {
		t.Skip("make release-full makes the image")
	}
	root, config := unpacked(t, *full)
	assert.Equal(t, "65532:65532", config.User)
	assert.Empty(t, answer(t, "find", root, "-xdev", "-type", "f", "(", "-perm", "/6002", "-o", "-user", "65532", ")"), "files that others can write")

	recording, err := os.ReadFile("../../examples/testdata/talk.ogg")
	require.NoError(t, err)
	volume := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(volume, "talk.ogg"), recording, 0o644)) //nolint:gosec // another user reads it
	require.NoError(t, os.Chown(volume, 65532, 65532))
	for _, program := range [][]string{{"yt-dlp", "--version"}, {"deno", "--version"}, {"ffmpeg", "-version"}} {
		said, err := inImage(t, root, volume, config.Env, program...).CombinedOutput()
		require.NoError(t, err, "%v: %s", program, said)
	}
	text, err := inImage(t, root, volume, config.Env, "transcriptd", "transcribe", "/var/lib/transcriptd/talk.ogg").Output()
	require.NoError(t, err)
	assert.Regexp(t, `(?i)this is a short talk`, string(text))
}

// inImage is contain for a program that is looked up in the PATH of the image.
func inImage(t *testing.T, root, volume string, env []string, args ...string) *exec.Cmd {
	t.Helper()
	return contain(t, root, volume, env, append([]string{"/usr/bin/env"}, args...)...)
}
