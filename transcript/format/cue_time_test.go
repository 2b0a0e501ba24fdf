package format_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

// A text that no rule lets break takes time in proportion to its length.
func TestLongTextsTakeLinearTime(t *testing.T) { //nolint:paralleltest // it measures time
	for name, text := range map[string]string{
		"Thai, of which the rules know no words": "สวัสดีครับยินดีต้อนรับ",
		"what begins no line":                    "ーー。。、、",
		"Han and one long word":                  "字" + strings.Repeat("x", 200),
		"Han":                                    "漢字仮名交じり文",
	} {
		took := func(times int) time.Duration {
			segs := []transcript.Segment{{Text: strings.Repeat(text, times), Duration: 1}}
			best := time.Hour
			for range 5 {
				begin := time.Now()
				format.AppendSRT(nil, segs)
				best = min(best, time.Since(begin))
			}
			return best
		}
		assert.Less(t, took(1600), 80*took(100)+5*time.Millisecond, "%s: 16 times the text", name) // else 256 times the time
	}
}
