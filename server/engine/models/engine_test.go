package models_test

import (
	"archive/tar"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine/models"
)

// A model brings the engine along where there is none, and the two are the best pair.
func TestPullBringsTheEngine(t *testing.T) {
	t.Parallel()
	b, file := engineWith(t,
		packed{tar.Header{Name: "./", Typeflag: tar.TypeDir, Mode: 0o755}, ""},
		program("./build/bin/whisper-cli", good),
		packed{tar.Header{Name: "build/bin/libggml.so.1.2", Typeflag: tar.TypeReg, Mode: 0o600}, "library"},
		link("build/bin/libggml.so", "libggml.so.1.2"),
		link("build/lib", "../build/bin"),
	)
	plan, err := b.Plan(t.Context(), "small", models.Sources{Files: []string{file}})
	require.NoError(t, err)
	require.Len(t, plan.Downloads, 2)
	assert.Equal(t, models.KindEngine, plan.Downloads[0].Kind, "what may fail soon is first")
	assert.Equal(t, file, plan.Downloads[0].From)
	assert.Equal(t, "whisper-cli is not installed", plan.Reason)
	require.NoError(t, b.Pull(t.Context(), plan, nil))
	b.installed(t)

	best, err := b.Best(t.Context(), models.WhisperCLI)
	require.NoError(t, err)
	assert.True(t, best.Pulled)
	assert.Equal(t, "small", best.Model.Name)
	engine := b.state(t, "whisper-cli")
	assert.Equal(t, models.StateInstalled, engine.State)
	assert.Equal(t, engine.Path, best.Program)
	assert.Equal(t, filepath.Join("build", "bin", "whisper-cli"), best.Program[len(best.Program)-len("build/bin/whisper-cli"):])
	lib, err := os.ReadFile(filepath.Join(filepath.Dir(best.Program), "libggml.so"))
	require.NoError(t, err)
	assert.Equal(t, "library", string(lib))
	all, err := b.Verify(t.Context(), nil)
	require.NoError(t, err)
	assert.Len(t, all, 2)

	// An option that names a program is used, and no engine is pulled in its place.
	b.options.Program = "/nowhere/whisper-cli"
	b.open(t, b.options)
	_, err = b.Best(t.Context(), models.WhisperCLI)
	require.ErrorIs(t, err, models.ErrNotInstalled)
	require.ErrorContains(t, err, "small has no program that runs it: /nowhere/whisper-cli is not installed")
	require.NoError(t, b.Remove(t.Context(), "small"))
	require.ErrorContains(t, b.pull(t.Context(), "small"), "/nowhere/whisper-cli is not installed")

	b.options.Program = ""
	b.open(t, b.options)
	require.NoError(t, b.pull(t.Context(), "small"))
	require.NoError(t, b.Remove(t.Context(), "whisper-cli"))
	_, err = b.Best(t.Context(), models.WhisperCLI)
	require.ErrorContains(t, err, "small has no program that runs it: whisper-cli is not installed")
}

// What is damaged is found, put aside and not used; of an engine the archive is
// enough to mend it.
func TestVerify(t *testing.T) {
	t.Parallel()
	b, file := engineWith(t, program("whisper-cli", good), link("lib", "whisper-cli"))
	from := models.Sources{Files: []string{file}}
	small := b.small()
	tiny := b.small()
	tiny.Name = "tiny"
	b.options.Table = append([]models.Entry{tiny}, b.options.Table...)
	b.open(t, b.options)
	require.NoError(t, b.pullFrom(t.Context(), "tiny", from))
	require.NoError(t, b.pull(t.Context(), "small"))
	states := func() string {
		all, err := b.Verify(t.Context(), func(models.Entry, int64, int64) {})
		require.NoError(t, err)
		var text []string
		for _, item := range all {
			text = append(text, item.Name+" "+string(item.State))
		}
		return strings.Join(text, ", ")
	}
	assert.Equal(t, "tiny installed, whisper-cli installed, small installed", states())

	best, err := b.Best(t.Context(), models.WhisperCLI)
	require.NoError(t, err)
	require.Equal(t, "small", best.Model.Name)
	overwrite(t, best.Model.Path, 99_999)
	best, err = b.Best(t.Context(), models.WhisperCLI)
	require.NoError(t, err)
	assert.Equal(t, "tiny", best.Model.Name, "a damaged model is used")
	assert.Equal(t, "tiny installed, whisper-cli installed, small damaged", states())
	assert.Equal(t, models.StateDamaged, b.state(t, "small").State)

	for _, damage := range []func(){
		func() { overwrite(t, best.Program, 20) },
		func() { require.NoError(t, os.Truncate(best.Program, 20)) },
		func() {
			lib := filepath.Join(filepath.Dir(best.Program), "lib")
			require.NoError(t, os.Remove(lib))
			require.NoError(t, os.Symlink("/bin/sh", lib))
		},
	} {
		damage()
		assert.Equal(t, "tiny installed, whisper-cli damaged, small damaged", states())
		_, err = b.Best(t.Context(), models.WhisperCLI)
		require.ErrorIs(t, err, models.ErrNotInstalled, "a damaged engine is used")
		require.NoError(t, b.pull(t.Context(), "whisper-cli"), "its archive is there")
		best, err = b.Best(t.Context(), models.WhisperCLI)
		require.NoError(t, err)
	}
	overwrite(t, filepath.Join(b.Dir(), "tiny-"+tiny.SHA256[:16], "ggml-small.bin"), 0)
	_, err = b.Best(t.Context(), models.WhisperCLI)
	require.ErrorIs(t, err, models.ErrNotInstalled)
	require.ErrorIs(t, err, models.ErrHash)
	require.ErrorContains(t, err, "tiny is damaged, and has to be pulled again")
	require.NoError(t, b.pull(t.Context(), "small"))
	assert.Equal(t, "tiny damaged, whisper-cli installed, small installed", states())
	require.NoError(t, os.Truncate(b.state(t, "small").Path, 5))
	assert.Equal(t, models.StateDamaged, b.state(t, "small").State, "seen without hashing")
	require.NoError(t, b.pull(t.Context(), "small"))
	assert.NoFileExists(t, filepath.Join(b.Dir(), "small-"+small.SHA256[:16], "ggml-small.bin.damaged"))
}

// An archive that would do anything but fill a folder of its own is refused, and leaves
// nothing.
func TestHostileArchives(t *testing.T) {
	t.Parallel()
	many := make([]packed, 1_000)
	for i := range many {
		many[i] = packed{tar.Header{Name: fmt.Sprintf("d/%d", i), Typeflag: tar.TypeReg, Mode: 0o644}, ""}
	}
	typed := func(kind byte) []packed {
		return []packed{{tar.Header{Name: "x", Typeflag: kind, Linkname: "whisper-cli"}, ""}}
	}
	for name, tt := range map[string]struct {
		with []packed
		says string
	}{
		"absolute":              {[]packed{program("/tmp/x", "x")}, `"/tmp/x": it would leave the folder`},
		"above":                 {[]packed{program("../x", "x")}, `"../x": it would leave the folder`},
		"above by a detour":     {[]packed{program("a/b/../../../x", "x")}, "it would leave the folder"},
		"a link to the root":    {[]packed{link("x", "/etc/passwd")}, `its link to "/etc/passwd" would leave the folder`},
		"a link above":          {[]packed{link("a/x", "../../y")}, `its link to "../../y" would leave the folder`},
		"by a link":             {[]packed{link("a", "b"), link("b", ".."), program("a/x", "x")}, "would leave the folder"},
		"links that lead out":   {[]packed{{tar.Header{Name: "d/e", Typeflag: tar.TypeDir}, ""}, link("l", "d/e"), link("out", "l/../../..")}, "out"},
		"a link to nowhere":     {[]packed{link("x", "y")}, `link "x"`},
		"links in a ring":       {[]packed{link("x", "y"), link("y", "x")}, `link "x"`},
		"a hard link":           {typed(tar.TypeLink), "of a type that is not unpacked: '1'"},
		"a device":              {typed(tar.TypeChar), "of a type that is not unpacked: '3'"},
		"a pipe":                {typed(tar.TypeFifo), "of a type that is not unpacked: '6'"},
		"the same name twice":   {[]packed{program("whisper-cli", "x")}, "file exists"},
		"a file for a folder":   {[]packed{program("whisper-cli/x", "x")}, `"whisper-cli/x"`},
		"a folder for a file":   {[]packed{{tar.Header{Name: "d", Typeflag: tar.TypeDir}, ""}, program("d", "x")}, "file exists"},
		"two programs":          {[]packed{program("d/whisper-cli", good)}, "two programs"},
		"too many entries":      {many, "more than 1000 entries"},
		"a bomb":                {[]packed{program("x", strings.Repeat("0", 4<<20))}, "it unpacks to more than "},
		"a bomb that is passed": {[]packed{{tar.Header{Name: "x", Typeflag: tar.TypeCont, Mode: 0o644}, strings.Repeat("0", 4<<20)}}, "not unpacked"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, file := engineWith(t, append([]packed{program("whisper-cli", good)}, tt.with...)...)
			refused(t, b, file, tt.says)
		})
	}
	for name, data := range map[string]string{"no archive": "hello", "cut off": string(archive(t, program("whisper-cli", good))[:60]), "empty": string(archive(t))} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, file := engineWith(t)
			require.NoError(t, os.WriteFile(file, []byte(data), 0o600))
			b.options.Table[0] = entry("whisper-cli", models.KindEngine, "engine.tar.gz", []byte(data))
			b.open(t, b.options)
			refused(t, b, file, "")
		})
	}
}

// refused pulls an engine that must not be installed.
func refused(t *testing.T, b *bench, file, says string) {
	t.Helper()
	outside := filepath.Dir(b.Dir())
	err := b.pullFrom(t.Context(), "whisper-cli", models.Sources{Files: []string{file}})
	require.ErrorContains(t, err, says)
	assert.NotEqual(t, models.StateInstalled, b.state(t, "whisper-cli").State)
	left, err := filepath.Glob(filepath.Join(b.Dir(), "*", "*"))
	require.NoError(t, err)
	require.Len(t, left, 1, "more than the archive")
	assert.Equal(t, "engine.tar.gz", filepath.Base(left[0]))
	hidden, err := filepath.Glob(filepath.Join(b.Dir(), "*", ".*"))
	require.NoError(t, err)
	assert.Empty(t, hidden)
	beside, err := os.ReadDir(outside)
	require.NoError(t, err)
	assert.Len(t, beside, 1, "something was put outside")
}

// Why an engine does not run is told with what to do, and it is not installed; once it
// runs nothing is downloaded again.
func TestEngineThatDoesNotRun(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ content, says string }{
		"old libraries": {
			"#!/bin/sh\necho \"$0: /lib/x86_64-linux-gnu/libc.so.6: version \\`GLIBC_2.38' not found (required by $0)\" >&2; exit 1\n",
			"whisper-cli wants GLIBC_2.38, and this system's libraries are older: use Ubuntu 22.04, Debian 12 or newer",
		},
		"no libgomp": {
			"#!/bin/sh\necho \"$0: error while loading shared libraries: libgomp.so.1: cannot open shared object file: No such file or directory\" >&2; exit 127\n",
			"whisper-cli wants the library libgomp.so.1: install the package libgomp1",
		},
		"another library": {
			"#!/bin/sh\necho \"$0: error while loading shared libraries: libx.so.1: cannot open shared object file: No such file or directory\" >&2; exit 127\n",
			"whisper-cli wants the library libx.so.1: install the package that has it",
		},
		"another processor": {"\x7fELF\x02\x01\x01 of another kind", "whisper-cli is for another kind of processor"},
		"no loader":         {"#!/lib/ld-of-another-system\n", "it needs glibc, which this system"},
		"instructions":      {"#!/bin/sh\nkill -ILL $$\n", "this processor may lack instructions"},
		"anything else":     {"#!/bin/sh\necho one >&2; echo two >&2; exit 9\n", `ended with code 9 in a first run, and said "two"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, file := engineWith(t, program("whisper-cli", tt.content))
			refused(t, b, file, tt.says)
			require.ErrorContains(t, b.pull(t.Context(), "small"), tt.says, "without the file, as the archive is there")
			assert.Empty(t, b.requests(), "the model is of no use")
		})
	}
}

// Engines for other systems are none.
func TestNoEngineForThisSystem(t *testing.T) {
	t.Parallel()
	b, _ := engineWith(t, program("whisper-cli", good))
	b.options.Table[0].Arch = "pdp11"
	b.open(t, b.options)
	require.ErrorContains(t, b.pull(t.Context(), "small"), "no whisper-cli is published for this system: install the package whisper.cpp, or build it")
	require.ErrorIs(t, b.pull(t.Context(), "whisper-cli"), models.ErrUnknown)
	all, err := b.List(t.Context())
	require.NoError(t, err)
	assert.Len(t, all, 1)
}
