package caption_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// readWith reads file whole and byte by byte, which is the same.
func readWith(t *testing.T, reader func(io.Reader) (caption.File, error), file string) string {
	t.Helper()
	segments, err := segmentsOf(reader(strings.NewReader(file)))
	require.NoError(t, err)
	slowly, err := segmentsOf(reader(iotest.OneByteReader(strings.NewReader(file))))
	require.NoError(t, err)
	require.Equal(t, segments, slowly, "byte by byte")
	return shown(segments)
}

// tt is a file with the body.
func tt(body string) string {
	return `<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttm="http://www.w3.org/ns/ttml#metadata"><head><metadata>` +
		`<ttm:agent xml:id="a"><ttm:name>Ann</ttm:name></ttm:agent><ttm:agent xml:id="b"><ttm:name type="alias">B.</ttm:name>` +
		`<ttm:name type="full">Bob</ttm:name><ttm:name>Bobby</ttm:name></ttm:agent><ttm:agent xml:id="c"/></metadata>` +
		`<styling><style xml:id="base" tts:ruby="base"/><style xml:id="rt" tts:ruby="text"/></styling></head>` + body + `</tt>`
}

func TestTTMLKeepsNoCrowd(t *testing.T) {
	t.Parallel()
	var names strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&names, `<agent xml:id="%d"><name>Ann</name></agent>`, i)
	}
	for name, head := range map[string]string{
		"names":  names.String(),
		"styles": strings.Repeat(`<style xml:id="a" tts:ruby="text"/>`, 20_000),
		"a name": `<agent xml:id="a"><name>` + strings.Repeat("Ann<b/>", 1<<20/3) + "</name></agent>",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := caption.ReadTTML(strings.NewReader("<tt><head>" + head + "</head></tt>"))
			assert.ErrorIs(t, err, caption.ErrTooLarge)
		})
	}
}
