package caption_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// TestTTMLHeldBack: both readings stay possible for long, or to the end that is
// missing; no cue is lost.
func TestTTMLHeldBack(t *testing.T) {
	t.Parallel()
	var body strings.Builder
	const cues = 2500
	for i := range cues {
		fmt.Fprintf(&body, `<p begin="%ds" end="%ds">cue %d</p>`, i+1, i+2, i)
	}
	file := tt(`<body><div begin="1s" end="9h">` + body.String() + `</div></body>`)
	segments, err := segmentsOf(caption.ReadTTML(strings.NewReader(file)))
	require.NoError(t, err)
	require.Len(t, segments, cues)
	for i, s := range segments {
		require.Equal(t, float64(i+2), s.Start, "from the element around")
		require.Equal(t, fmt.Sprint("cue ", i), s.Text)
	}

	cut := tt(`<body><div begin="1s" end="9h"><p begin="1s" end="2s">a</p>`)
	cut = strings.TrimSuffix(cut, "</tt>")
	var seen []string
	for s, err := range caption.TTML(strings.NewReader(cut)) {
		if err != nil {
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			seen = append(seen, "cut")
			continue
		}
		seen = append(seen, s.Text)
	}
	assert.Equal(t, []string{"a", "cut"}, seen)
}

// TestTTMLSpansApart: spans without white space between them.
func TestTTMLSpansApart(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, p, want string }{
		{"one after another", `<span begin="0s" end="0.4s">One</span><span begin="0.5s" end="1s">two</span>`, `One two`},
		{"one after another, phrases", `<span begin="0s" end="0.4s">Hello there</span><span begin="0.4s" end="0.6s">General K.</span> <span begin="0.7s">x</span>`, `Hello there General K. x`},
		{"at once", `<span begin="0s">One</span><span begin="0.5s">two</span>`, `Onetwo`},
		{"overlapping", `<span begin="0s" end="0.6s">One</span><span begin="0.5s" end="1s">two</span>`, `Onetwo`},
		{"parts of a word", `<span begin="0s" end="0.2s">gen</span><span begin="0.2s" end="0.4s">tly</span> <span begin="0.5s" end="1s">down</span>`, `gently down`},
		{"words", `<span begin="0s" end="0.9s" x:unit="sentence"><span begin="0s" end="0.2s" x:unit="word">Hey</span><span begin="0.2s" end="0.4s" x:unit="word">you,</span></span>` +
			`<span x:unit="sentence"><span begin="0.5s" end="0.6s" x:unit="word">there</span><span begin="0.6s" end="0.7s" x:unit="word">!</span></span>`, `Hey you, there!`},
		{"words without times", `<span x:unit="word">Hey</span><span x:unit="word">you</span>`, `Hey you`},
		{"words of a script without spaces", `<span begin="0s" end="0.2s" x:unit="word">今日</span><span begin="0.2s" end="0.4s" x:unit="word">は。</span><span begin="0.4s" end="0.5s" x:unit="word">はい</span>`, `今日は。はい`},
		{"a word of another script", `<span begin="0s" end="0.2s" x:unit="word">한국</span><span begin="0.2s" end="0.4s" x:unit="word">사람</span>`, `한국 사람`},
		{"white space in the second", `<span begin="0s" end="0.4s">One</span><span begin="0.5s" end="1s"> two</span>`, `One two`},
		{"one without text between", `<span begin="0s" end="0.4s">One</span><span begin="0.4s" end="0.5s"/><span begin="0.5s" end="1s">two</span>`, `One two`},
		{"one without text at the end", `<span begin="0s" end="0.4s">One</span><span begin="0.4s" end="0.5s"/>`, `One`},
		{"lines", `<span begin="0s" end="0.4s">One</span><br/><span begin="0.5s" end="0.6s">two</span><span begin="0.6s" end="1s">three</span>`, "One\ntwo three"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			segments, err := segmentsOf(caption.ReadTTML(strings.NewReader(tt(`<body><div><p begin="1s" end="2s">` + test.p + `</p></div></body>`))))
			require.NoError(t, err)
			require.Len(t, segments, 1)
			assert.Equal(t, test.want, segments[0].Text)
			var words []string
			for _, w := range segments[0].Words {
				words = append(words, w.Text)
			}
			if len(words) > 0 {
				assert.Equal(t, strings.Join(strings.Fields(test.want), ""), strings.Join(words, ""))
			}
		})
	}
}

// TestTTMLManySpans: the text before a timed span is not read again at each of them.
func TestTTMLManySpans(t *testing.T) {
	t.Parallel()
	file := tt(`<body><div><p begin="0s" end="2h"><span begin="0s" end="1s">` + strings.Repeat("a", 900_000) + `</span>` +
		strings.Repeat(`<span begin="1s" end="1s"/>`, 30_000) + `</p></div></body>`)
	start := time.Now()
	segments, err := segmentsOf(caption.ReadTTML(strings.NewReader(file)))
	require.NoError(t, err)
	require.Len(t, segments, 1)
	assert.Less(t, time.Since(start), 12*time.Second) // it takes 0.2 s; it would be half a minute
}
