package main_test

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// workshop holds the release program, a key, a checkout with one commit of the files that are here, and
// the releases that were made of the checkout.
var workshop struct{ dir, program, checkout, key string }

func TestMain(m *testing.M) {
	code, err := within(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func within(m *testing.M) (code int, err error) {
	dir, err := os.MkdirTemp("", "release-test-")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a folder that stays in the folder for temporary files harms nothing
	workshop.dir, workshop.program = dir, filepath.Join(dir, "release")
	workshop.checkout, workshop.key = filepath.Join(dir, "first folder"), filepath.Join(dir, "key")
	for _, command := range []string{
		`go build -o "$PROGRAM" .`,
		`mkdir "$CHECKOUT" && cd ../.. && git ls-files -z --cached --others --exclude-standard | tar --ignore-failed-read --null -T - -c | tar -x -C "$CHECKOUT"`,
		`ssh-keygen -q -t ed25519 -N "" -C test@example.com -f "$KEY"`,
		`cd "$CHECKOUT" && git init -q && git add -A && git -c user.name=Test -c user.email=test@example.com commit -q -m Test`,
	} {
		shell := exec.Command("sh", "-c", command)
		shell.Env = append(os.Environ(), "PROGRAM="+workshop.program, "CHECKOUT="+workshop.checkout, "KEY="+workshop.key)
		if said, err := shell.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("%s: %w: %s", command, err, said)
		}
	}
	return m.Run(), nil
}

// host is the target that the tests build for: the compiler has built much of it already.
const host = "linux/" + runtime.GOARCH

// release makes a release of a checkout by the shell, which can set an umask before.
func release(t *testing.T, checkout, out, before string) {
	t.Helper()
	args := []string{"-c", before + ` "$@"`, "sh", workshop.program, "--checkout", checkout, "--out", out, "--key", workshop.key}
	if !*every {
		args = append(args, "--target", host)
	}
	shell := exec.CommandContext(t.Context(), "sh", args...)
	said, err := shell.CombinedOutput()
	require.NoError(t, err, "%s", said)
}

// made returns the folder of the release that most tests look at.
func made(t *testing.T) string {
	t.Helper()
	firstRelease.Do(func() { release(t, workshop.checkout, filepath.Join(workshop.dir, "dist"), "umask 022;") })
	return filepath.Join(workshop.dir, "dist")
}

var firstRelease sync.Once

// only returns the one file of the release whose name fits.
func only(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(made(t), pattern))
	require.NoError(t, err)
	require.Len(t, found, 1, pattern)
	return found[0]
}

// answer runs a program that succeeds, and returns what it printed.
func answer(t *testing.T, name string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, args...)
	var complaint bytes.Buffer
	command.Stderr = &complaint
	printed, err := command.Output()
	require.NoError(t, err, "%v: %s", command.Args, complaint.String())
	return string(printed)
}

// every makes the comparison one of a whole release, which takes minutes for each target.
var every = flag.Bool("every", false, "compare releases for every target, of which the second one is compiled again")

// Two releases are equal to the byte, though the second one is made in another folder, later, from
// files of another age, by the user nobody, under another umask, in another time zone and language.
func TestTwoReleasesAreEqual(t *testing.T) {
	t.Parallel()
	first, checkout, second := made(t), filepath.Join(workshop.dir, "second"), filepath.Join(workshop.dir, "dist-again")
	cache := strings.TrimSpace(answer(t, "go", "env", "GOCACHE"))
	if *every {
		cache = t.TempDir()
	}
	answer(t, "sh", "-c", `umask 077; git clone -q "$1" "$2" && find "$2" -type f -exec touch -d 2001-02-03 {} +`, "sh", workshop.checkout, checkout)
	// A container may forbid to be another user.
	release(t, checkout, second, `umask 077; other="unshare --user --map-user=65534 --map-group=65534"; $other true || other=
		exec env GOCACHE='`+cache+`' GOMODCACHE="$(go env GOMODCACHE)" HOME='`+t.TempDir()+`' USER=other TZ=Pacific/Auckland LC_ALL=tr_TR.UTF-8 \
		GOFLAGS=-mod=mod GOAMD64=v3 SOURCE_DATE_EPOCH=1 $other`)
	files, again := contents(t, first), contents(t, second)
	assert.Equal(t, files, again)
	t.Logf("%d files are equal", len(files))
}

// contents returns the hash of each file.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	hashes := map[string]string{}
	root := os.DirFS(dir)
	require.NoError(t, fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, name)
		hashes[name] = fmt.Sprintf("%x", sha256.Sum256(data))
		return err
	}))
	return hashes
}

// sha256sum accepts the checksums, they list every file, and a changed byte is found.
func TestChecksums(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile(filepath.Join(made(t), "checksums.txt"))
	require.NoError(t, err)
	listed := map[string]string{}
	for line := range strings.Lines(string(list)) {
		sum, name, found := strings.Cut(strings.TrimSpace(line), "  ")
		require.True(t, found, line)
		listed[name] = sum
	}
	there := contents(t, made(t))
	delete(there, "checksums.txt")
	delete(there, "checksums.txt.sig")
	assert.Equal(t, there, listed)
	answer(t, "sh", "-c", `cd "$1" && sha256sum --check --strict checksums.txt`, "sh", made(t))
}

// The key of the project accepts the checksums, and neither a changed list nor another key is
// accepted.
func TestSignature(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	list, err := os.ReadFile(filepath.Join(made(t), "checksums.txt"))
	require.NoError(t, err)
	public, err := os.ReadFile(workshop.key + ".pub")
	require.NoError(t, err)
	signers, others := filepath.Join(dir, "signers"), filepath.Join(dir, "others")
	require.NoError(t, os.WriteFile(signers, []byte("releases "+string(public)), 0o600))
	answer(t, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, "other"))
	other, err := os.ReadFile(filepath.Join(dir, "other.pub"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(others, []byte("releases "+string(other)), 0o600))
	verify := func(signers string, list []byte) error {
		command := exec.CommandContext(t.Context(), "ssh-keygen", "-Y", "verify", "-f", signers, "-I", "releases", "-n", "transcriptkit",
			"-s", filepath.Join(made(t), "checksums.txt.sig"))
		command.Stdin = bytes.NewReader(list)
		return command.Run()
	}
	assert.NoError(t, verify(signers, list))
	assert.Error(t, verify(others, list))
	list[0] ^= 1
	assert.Error(t, verify(signers, list))
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	changed := filepath.Join(t.TempDir(), "changed")
	answer(t, "git", "clone", "-q", workshop.checkout, changed)
	require.NoError(t, os.WriteFile(filepath.Join(changed, "new.go"), []byte("package main\n"), 0o600))
	full := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(full, "old.tar.gz"), nil, 0o600))
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"change": {[]string{"--checkout", changed, "--out", t.TempDir()}, "has a change that no commit has (?? new.go)"},
		"no git": {[]string{"--checkout", t.TempDir(), "--out", t.TempDir()}, "--checkout: git status"},
		"full":   {[]string{"--checkout", workshop.checkout, "--out", full}, "is not empty"},
		"target": {[]string{"--target", "plan9/amd64"}, `"plan9/amd64" is none of linux/amd64,`},
		"no key": {[]string{"--checkout", workshop.checkout, "--out", t.TempDir(), "--key", "/nowhere/key"}, "--key: stat /nowhere/key"},
		"kind":   {[]string{"--only", "rpm"}, "--only"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said, err := exec.CommandContext(t.Context(), workshop.program, c.args...).CombinedOutput()
			require.Error(t, err)
			assert.Contains(t, string(said), c.says)
		})
	}
}
