package caption_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

func TestGoldenMarkup(t *testing.T) {
	t.Parallel()
	for ext, reader := range map[string]func(io.Reader) (caption.File, error){
		".sbv": readPlain(caption.ReadSBV), ".ass": readPlain(caption.ReadASS), ".ssa": readPlain(caption.ReadASS),
		".ttml": caption.ReadTTML, ".srv1": caption.ReadSRV1, ".srv2": caption.ReadSRV3, ".srv3": caption.ReadSRV3, ".json3": caption.ReadJSON3, ".podcast": caption.ReadPodcast, ".whisper": caption.ReadWhisper,
	} {
		files, err := filepath.Glob("testdata/*" + ext)
		require.NoError(t, err)
		require.NotEmpty(t, files, ext)
		for _, file := range files {
			t.Run(filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				b, err := os.ReadFile(file)
				require.NoError(t, err)
				got := readWith(t, reader, string(b)) + "\n"
				if *update {
					require.NoError(t, os.WriteFile(file+".golden", []byte(got), 0o644))
				}
				want, err := os.ReadFile(file + ".golden")
				require.NoError(t, err)
				assert.Equal(t, string(want), got)
			})
		}
	}
}

// readPlain is a reader without its options.
func readPlain(read func(io.Reader, ...caption.Option) (caption.File, error)) func(io.Reader) (caption.File, error) {
	return func(r io.Reader) (caption.File, error) { return read(r) }
}
