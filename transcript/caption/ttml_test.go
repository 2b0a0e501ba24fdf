package caption_test

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// readWith reads file whole and byte by byte, which is the same.
func readWith(t *testing.T, reader func(io.Reader) ([]transcript.Segment, error), file string) string {
	t.Helper()
	segments, err := reader(strings.NewReader(file))
	require.NoError(t, err)
	slowly, err := reader(iotest.OneByteReader(strings.NewReader(file)))
	require.NoError(t, err)
	require.Equal(t, segments, slowly, "byte by byte")
	return shown(segments)
}

func readTTML(t *testing.T, file string) string {
	t.Helper()
	return readWith(t, caption.ReadTTML, file)
}

func TestTTMLTimes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ params, times, want string }{
		{``, `begin="00:00:01.000" end="00:00:02.000"`, `1+1`},
		{``, `begin="00:00:01" dur="00:00:02"`, `1+2`},
		{``, `begin="00:00:00.080" end="00:00:02.5"`, `0.08+2.42`},
		{``, `begin="100:59:59.123" end="100:59:60.5"`, `363599.123+1.377`},
		{``, `begin="1h" end="1.5h"`, `3600+1800`},
		{``, `begin="1m" end="90s"`, `60+30`},
		{``, `begin="1500ms" dur="1.5s"`, `1.5+1.5`},
		{``, `begin="30f" dur="15f"`, `1+0.5`},
		{``, `begin="1t" dur="2t"`, `1+2`},
		{``, `begin="00:00:01:15" end="00:00:02:00"`, `1.5+0.5`},
		{``, `begin=" 1s " end="2s"`, `1+1`},
		{``, `begin="1.5" end="0:02,5"`, `1.5+1`},
		{``, `begin="1:02.5" end="1:03"`, `62.5+0.5`},
		{``, `begin="2s" end="1s"`, `2+0`},
		{``, `begin="2s" end="5s" dur="1s"`, `2+1`},
		{``, `begin="2s" end="3s" dur="5s"`, `2+1`},
		{``, `begin="99999999999999999999h" end="99999999999999999999999h"`, `9.999999972e+11+0`},
		{`ttp:frameRate="25"`, `begin="25f" end="00:00:02:05"`, `1+1.2`},
		{`ttp:frameRate="25"`, `begin="25t" end="50t"`, `1+1`},
		{`ttp:frameRate="25" ttp:subFrameRate="4"`, `begin="100t" end="00:00:02:05.2"`, `1+1.22`},
		{`ttp:frameRate="30" ttp:frameRateMultiplier="1000 1001"`, `begin="30f" end="00:00:02:15"`, `1.001+1.5`},
		{`ttp:frameRate="30" ttp:frameRateMultiplier="1000:1001"`, `begin="30f" dur="1s"`, `1.001+1`},
		{`ttp:tickRate="10000000"`, `begin="12345678t" end="20000000t"`, `1.235+0.765`},
		{`ttp:frameRate="0" ttp:tickRate="x" ttp:frameRateMultiplier="1 0"`, `begin="30f" end="2t"`, `1+1`},
		{`ttp:timeBase="smpte" ttp:frameRate="30" ttp:frameRateMultiplier="1000 1001"`, `begin="01:00:00:00" dur="1s"`, `3603.6+1`},
		{`ttp:timeBase="smpte" ttp:frameRate="30" ttp:frameRateMultiplier="1000 1001" ttp:dropMode="dropNTSC"`,
			`begin="01:00:00:00" end="01:00:01"`, `3599.996+1.001`},
		{`ttp:timeBase="smpte" ttp:frameRate="25" ttp:dropMode="dropPAL"`, `begin="00:02:00:04" dur="1s"`, `120+1`},

		{``, `begin="" end="2s"`, ``},
		{``, `begin="x" end="2s"`, ``},
		{``, `begin="-1s" end="2s"`, ``},
		{``, `begin="NaN" end="2s"`, ``},
		{``, `begin="1e3s" end="2s"`, ``},
		{``, `begin="1.s" end="2s"`, ``},
		{``, `begin="00:60:00" end="2h"`, ``},
		{``, `begin="00:00:61" end="2h"`, ``},
		{``, `begin="00:00:01:02:03" end="2h"`, ``},
		{``, `begin="00:00:" end="2h"`, ``},
		{``, `begin="00:00:01:02.x" end="2h"`, ``},
		{``, `begin="1s" end="soon"`, ``},
		{``, `begin="1s" dur="indefinite"`, ``},
		{``, `begin="wallclock(2026-01-01T00:00:00)" end="2h"`, ``},
	} {
		t.Run(test.params+" "+test.times, func(t *testing.T) {
			t.Parallel()
			file := `<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" ` + test.params +
				`><body><div><p ` + test.times + `>a</p><p begin="9e9">lost</p><p begin="1000000h" dur="1s">b</p></div></body></tt>`
			want := ""
			if test.want != "" {
				want = test.want + " \"a\"\n"
			}
			got := readTTML(t, file)
			if test.want != "" && strings.HasPrefix(test.want, "9.9") {
				assert.Equal(t, "3.6e+09+1 \"b\"\n"+test.want+` "a"`, got)
				return
			}
			assert.Equal(t, want+`3.6e+09+1 "b"`, got)
		})
	}
}
