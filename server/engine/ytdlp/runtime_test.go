package ytdlp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp"
)

// The program is told of the runtimes that are there, or of the named one alone, as
// soon as it knows of such things.
func TestRuntimes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		version, installed, named string
		told                      string // "DIR" stands for where they are
	}{
		{"2026.08.19", "deno node qjs bun", "", "--no-js-runtimes --js-runtimes deno:DIR/deno --js-runtimes node:DIR/node --js-runtimes quickjs:DIR/qjs"},
		{"2025.11.12", "deno node qjs", "node", "--no-js-runtimes --js-runtimes node:DIR/node"},
		{"2026.08.19", "bun deno", "bun:DIR/bun", "--no-js-runtimes --js-runtimes bun:DIR/bun"},
		{"2025.11.11", "deno node", "", ""},
		{"2023.03.04", "deno", "deno", ""},
	} {
		t.Run(test.version+" "+test.named, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, name := range strings.Fields(test.installed) {
				require.NoError(t, os.Symlink("/bin/true", filepath.Join(dir, name)))
			}
			program := fake{version: test.version, info: "null"}.program(t)
			b := newBench(t, program, func(r *run.Config, o *ytdlp.Options) {
				r.Path, o.JSRuntime = dir+":"+run.DefaultPath, strings.ReplaceAll(test.named, "DIR", dir)
			})
			told := func() []string {
				seen, err := os.ReadFile(filepath.Join(filepath.Dir(program), "seen"))
				require.NoError(t, err)
				all := []string{}
				for line := range strings.Lines(string(seen)) {
					arg, _ := strings.CutPrefix(strings.TrimSpace(line), "arg ")
					if strings.Contains(arg, "js-runtimes") || strings.Contains(arg, dir+"/") && !strings.Contains(arg, "=") {
						all = append(all, arg)
					}
				}
				return all
			}
			_, err := b.Audio(t.Context(), b.content("x"), t.TempDir(), engine.AudioOptions{})
			require.Error(t, err)
			assert.Equal(t, strings.Fields(strings.ReplaceAll(test.told, "DIR", dir)), told())
			_, err = b.captions(t, "x", "en")
			require.Error(t, err)
			assert.Equal(t, strings.Fields(test.told)[:min(1, len(strings.Fields(test.told)))], told(), "captions need no runtime")
		})
	}
}

// An old QuickJS takes minutes for a player: it gets the time for that.
func TestTimeForQuickJS(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ runtime, cpu string }{{"deno", "60"}, {"qjs", "180"}} {
		dir := t.TempDir()
		require.NoError(t, os.Symlink("/bin/true", filepath.Join(dir, test.runtime)))
		program := fake{version: "2026.08.19", info: "null", script: `ulimit -t >"$here/cpu"; `}.program(t)
		b := newBench(t, program, func(r *run.Config, _ *ytdlp.Options) { r.Path = dir + ":/bin" })
		_, err := b.Audio(t.Context(), b.content("x"), t.TempDir(), engine.AudioOptions{})
		require.Error(t, err)
		cpu, err := os.ReadFile(filepath.Join(filepath.Dir(program), "cpu"))
		require.NoError(t, err)
		assert.Equal(t, test.cpu, strings.TrimSpace(string(cpu)), test.runtime)
	}
}

func TestRuntimeThatIsNotThere(t *testing.T) {
	t.Parallel()
	programs, err := run.New(run.Config{Dir: t.TempDir(), Path: t.TempDir()})
	require.NoError(t, err)
	for named, says := range map[string]string{
		"node":               "node is not there: install it, or name its path",
		"node:/nowhere/node": "node is not there",
		"node:bin/node":      "not an absolute path",
		"perl":               `"perl" is none that yt-dlp knows: deno, node, quickjs or bun`,
		":/bin/true":         "none that yt-dlp knows",
	} {
		_, err := ytdlp.New(engine.Host{Programs: programs}, ytdlp.Options{JSRuntime: named})
		require.ErrorContains(t, err, "JSRuntime: ", named)
		assert.ErrorContains(t, err, says)
	}
}
