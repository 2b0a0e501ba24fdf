package ytdlp_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// deno is the runtime that make setup installs.
func deno(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../../../bin/yt-dlp/bin/deno")
	require.NoError(t, err)
	if _, err := os.Stat(path); err != nil {
		t.Skip("make setup has not reached the Python package index, which has deno")
	}
	return path
}

// asYtDlp runs deno as yt-dlp does: a script on its standard input, which has no rights,
// and whose output is the answer.
const asYtDlp = `deno=; for arg in "$@"; do case "$arg" in deno:*) deno=${arg#deno:} ;; esac; done
case "$*" in
-v*)
	version=$("$deno" --version) && version=${version#deno } && echo "[debug] JS runtimes: deno-${version%% *}" >&2
	exit 2 ;;
*--version*) ;;
*)
	"$deno" run --ext=js --no-code-cache --no-prompt --no-remote --no-lock --node-modules-dir=none --no-config --no-npm --cached-only - <"$here/solver"
	exit ;;
esac
`

// solver works as a player's puzzle does: it reads megabytes of code, computes, and keeps
// much at once. What it has no right to is refused, and not asked for.
const solver = `
const code = "function f(x) { return x + 1 }\n".repeat(100000) + "f(41)";
const solved = (0, eval)(code);
const kept = [];
for (let i = 0; i < 100; i++) kept.push(new Array(1 << 17).fill(i));
let sum = 0;
for (const some of kept) for (const n of some) sum += n;
const refused = [];
for (const [name, forbidden] of Object.entries({
	file: () => Deno.readTextFile("/etc/hostname"),
	network: () => fetch("http://127.0.0.1:8099/"),
	environment: () => Deno.env.get("HOME"),
})) {
	try { await forbidden() } catch (e) { refused.push(name + " " + e.name) }
}
console.log(JSON.stringify({id: "x", title: "solved " + solved + " " + sum + ", without " + refused, format_id: "1",
	formats: [{protocol: "https", acodec: "opus", url: "http://x/"}], subtitles: {en: [{url: "http://x/", ext: "vtt"}]}}));
`

// A real deno is found, named, and runs within what yt-dlp's runs are held to: memory,
// processor time, Landlock, no way but the guard's.
func TestDeno(t *testing.T) {
	t.Parallel()
	path := deno(t)
	program := fake{version: "2026.08.19", info: "null", script: asYtDlp}.program(t)
	dir := filepath.Dir(program)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "solver"), []byte(solver), 0o600))
	bin := t.TempDir()
	require.NoError(t, os.Symlink(path, filepath.Join(bin, "deno")))
	b := newBench(t, program, func(r *run.Config, _ *ytdlp.Options) {
		r.Path, r.WithoutLandlock = bin+":"+dir+":"+run.DefaultPath, false // what stands in for yt-dlp reads its own folder
	})
	found := b.Examine(t.Context())
	require.Len(t, found, 4)
	assert.Equal(t, engine.Finding{Name: "JavaScript runtime", Status: engine.OK, Found: "deno 2.9.8"}, found[1])
	require.NoError(t, b.Check(t.Context()))

	var title string
	enough := errors.New("enough")
	_, err := b.Audio(t.Context(), b.content("x"), t.TempDir(), engine.AudioOptions{Known: func(m transcript.Metadata) error {
		title = m.Title
		return enough
	}})
	require.ErrorIs(t, err, enough, b.log)
	assert.Equal(t, "solved 42 648806400, without file NotCapable,network NotCapable,environment NotCapable", title)
}
