package caption_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// counted counts the bytes that a reader asks for and gets.
type counted struct {
	io.Reader
	calls int
}

func (c *counted) Read(p []byte) (int, error) {
	c.calls++
	return c.Reader.Read(p)
}

// A file of twice the size takes at most twice the allocations and reads. That no reader
// searches a byte again and again, TestScaleOfHostileFiles of captionbench measures.
func TestTwiceTheFileTakesTwiceTheWork(t *testing.T) { //nolint:paralleltest // AllocsPerRun refuses to count beside other tests
	const cues = 3000
	for name, file := range map[string]func(n int) string{
		"sbv": func(n int) string {
			return fmt.Sprintf("%s,%s\ncue %d[br]and more\n\n", clock(n*1000), clock(n*1000+900), n)
		},
		"ass": func(n int) string {
			begin := ""
			if n == 0 {
				begin = "[Events]\n"
			}
			return fmt.Sprintf("%sDialogue: 0,%s,%s,Default,Ann,0,0,0,,{\\i1}cue %d{\\i0}\\Nand more\n", begin, clock(n*1000), clock(n*1000+900), n)
		},
	} {
		work := func(n int) (allocs float64, reads int) {
			var b strings.Builder
			for i := range n {
				b.WriteString(file(i))
			}
			allocs = testing.AllocsPerRun(2, func() {
				src := &counted{Reader: strings.NewReader(b.String())}
				f, err := caption.ReadAny(src, caption.NoGuess())
				require.NoError(t, err, name)
				require.Nil(t, f.Lost, name)
				require.Len(t, f.Segments, n, name)
				reads = src.calls
			})
			return allocs, reads
		}
		allocs, reads := work(cues)
		moreAllocs, moreReads := work(2 * cues)
		assert.LessOrEqual(t, moreAllocs, 2.1*allocs+50, name)
		assert.LessOrEqual(t, moreReads, 2*reads+5, name)
	}
}
