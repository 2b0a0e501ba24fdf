package main_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var full = flag.String("full", "", "the file with the image full, which make release-full makes")

// In a container, the image full reads a link and recognizes speech, and its doctor finds its
// programs.
func TestImageFull(t *testing.T) {
	t.Parallel()
	if *full == "" {
		t.Skip("make release-full makes the image")
	}
	i := unpacked(t, *full)
	assert.Equal(t, "65532:65532", i.config.User)
	assert.Empty(t, answer(t, "find", i.root(), "-xdev", "-type", "f", "(", "-perm", "/6002", "-o", "-user", "65532", ")"), "files that others can write")

	recording, err := os.ReadFile("../../examples/testdata/talk.ogg")
	require.NoError(t, err)
	volume := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(volume, "talk.ogg"), recording, 0o644)) //nolint:gosec // another user reads it
	require.NoError(t, os.Chown(volume, 65532, 65532))
	for what, want := range map[string]string{
		"transcribe talk.ogg":       `(?i)this is a short talk`,
		"demo --recording talk.ogg": `(?i)short talk`,
		"doctor":                    `deno`,
	} {
		said, err := newContainer(t, i, volume, nil, strings.Fields(what)...).command().CombinedOutput()
		require.NoError(t, err, "%s: %s", what, said)
		assert.Regexp(t, want, string(said))
		t.Logf("%s:\n%s", what, said)
	}
}
