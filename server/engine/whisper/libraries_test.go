package whisper_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/whisper"
)

// The program loads libraries from its own folder, which it can read, from its current
// directory, which is empty, private and not the service's, and from where a variable
// says, which it does not get.
func TestCLILoadsNoForeignLibraries(t *testing.T) { // it is not parallel: it sets a variable
	t.Setenv("GGML_BACKEND_PATH", "/tmp/libevil.so")
	programs, spool, uploads := filepath.Join(t.TempDir(), "[a-b] ü"), t.TempDir(), t.TempDir()
	require.NoError(t, os.Mkdir(programs, 0o700))
	t.Chdir(uploads)
	for name, content := range map[string]string{
		filepath.Join(uploads, "libggml-cpu-evil.so"):     "",
		filepath.Join(programs, "libggml-cpu-haswell.so"): "",
		filepath.Join(programs, "whisper-cli"): `#!/bin/sh
said="here: $(ls -A .)$(ls -ld . | cut -c1-10) beside: $(echo $(ls "${0%/*}")) variable: ${GGML_BACKEND_PATH-none}"
echo '{"result":{"language":"en"},"transcription":[{"offsets":{"from":0,"to":500},"tokens":[],"text":"'"$said"'"}]}' >heard.json
`,
	} {
		require.NoError(t, os.WriteFile(name, []byte(content), 0o700)) //nolint:gosec // it is to be run
	}
	runner, err := run.New(run.Config{Dir: spool})
	require.NoError(t, err)
	cli, err := whisper.NewCLI(engine.Host{Programs: runner, Dir: spool}, whisper.CLIOptions{
		Program: filepath.Join(programs, "whisper-cli"), Model: writeModel(t, "ggml-base.bin", multilingual),
	})
	require.NoError(t, err)
	heard, err := cli.Recognize(t.Context(), noise(t, time.Second), engine.RecognizeOptions{})
	require.NoError(t, err)
	require.Len(t, heard.Segments, 1)
	assert.Equal(t, "here: drwx------ beside: libggml-cpu-haswell.so whisper-cli variable: none", heard.Segments[0].Text)
}
