package ffmpeg_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ffmpeg"
)

func TestExamine(t *testing.T) {
	t.Parallel()
	for _, f := range ffmpeg.New(host(t, "")).Examine(t.Context()) {
		assert.Equal(t, engine.OK, f.Status, "%+v", f)
		assert.Regexp(t, `^\d+\.\d+`, f.Found)
	}
	program, err := filepath.Abs("testdata/program")
	require.NoError(t, err)
	for says, want := range map[string]engine.Condition{
		"ffmpeg version 7.1.1-1+b1 Copyright":           engine.OK,
		"ffmpeg version n5.1 Copyright":                 engine.OK,
		"ffmpeg version 5.0.3 Copyright":                engine.Old,
		"ffmpeg version 4.4.2-0ubuntu0.22 C":            engine.Old,
		"ffmpeg version N-118193-g5f38c82536 Copyright": engine.OK,
		"sox: SoX v14.4.2":                              engine.Broken,
		"":                                              engine.Broken,
		"none":                                          engine.Missing,
	} {
		dir := t.TempDir()
		if says != "none" {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "answer"), []byte(says+"\n"), 0o600))
			require.NoError(t, os.Symlink(program, filepath.Join(dir, "ffmpeg")))
		}
		programs, err := run.New(run.Config{Dir: t.TempDir(), Path: dir, WithoutLandlock: true})
		require.NoError(t, err)
		f := ffmpeg.New(engine.Host{Programs: programs}).Examine(t.Context())[0]
		assert.Equal(t, want, f.Status, "%s: %+v", says, f)
		assert.Equal(t, want == engine.OK, f.Cure == "", "%+v", f)
		assert.Equal(t, want == engine.OK, f.Fails == "", "%+v", f)
	}
}
