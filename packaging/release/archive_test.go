package main_test

import (
	"archive/tar"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// programs are the programs of a release.
var programs = []string{"transcriptd", "transcribe", "website"}

// The archive holds one folder, whose files belong to root, have the time of the commit, and can be
// written by root only. The programs in it run and know their version.
func TestArchive(t *testing.T) {
	t.Parallel()
	path := only(t, "transcriptkit_*.tar.gz")
	folder := strings.TrimSuffix(filepath.Base(path), ".tar.gz")
	f, err := os.Open(path)
	require.NoError(t, err)
	defer func() { assert.NoError(t, f.Close()) }()
	unpacked, err := gzip.NewReader(f)
	require.NoError(t, err)
	commit, err := time.Parse(time.RFC3339, strings.TrimSpace(answer(t, "git", "-C", workshop.checkout, "show", "--no-patch", "--format=%cI")))
	require.NoError(t, err)

	modes := map[string]int64{}
	archive := tar.NewReader(unpacked)
	for header, err := archive.Next(); err != io.EOF; header, err = archive.Next() {
		require.NoError(t, err)
		assert.True(t, header.ModTime.Equal(commit), header.Name)
		assert.Zero(t, header.Uid+header.Gid, header.Name)
		name, found := strings.CutPrefix(header.Name, folder+"/")
		assert.True(t, found, header.Name)
		modes[name] = header.Mode
	}
	want := map[string]int64{
		"": 0o755, "CHANGELOG.md": 0o644, "LICENSE": 0o644, "LICENSES.txt": 0o644, "README.md": 0o644,
		"man/": 0o755, "man/man1/": 0o755, "completions/": 0o755,
	}
	for _, program := range programs {
		want[program], want["man/man1/"+program+".1"] = 0o755, 0o644
		want["completions/"+program+".bash"], want["completions/_"+program], want["completions/"+program+".fish"] = 0o644, 0o644, 0o644
	}
	assert.Equal(t, want, modes)

	dir := t.TempDir()
	answer(t, "tar", "-xzf", path, "-C", dir)
	for _, program := range programs {
		told := answer(t, filepath.Join(dir, folder, program), "--version")
		version := strings.TrimSuffix(strings.TrimPrefix(folder, "transcriptkit_"), "_linux_"+strings.TrimPrefix(host, "linux/"))
		assert.Equal(t, program+" v"+version+"\n", told)
	}
}

// mandoc finds no fault in the manual pages. They know nothing of the user who made the release.
func TestManuals(t *testing.T) {
	t.Parallel()
	need(t, "mandoc")
	dir := t.TempDir()
	answer(t, "tar", "-xzf", only(t, "transcriptkit_*.tar.gz"), "-C", dir, "--strip-components=1")
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	for _, program := range programs {
		page := filepath.Join(dir, "man", "man1", program+".1")
		assert.Empty(t, answer(t, "mandoc", "-T", "lint", page))
		assert.NotContains(t, answer(t, "mandoc", "-T", "ascii", page), home)
	}
}
