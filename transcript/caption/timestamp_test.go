package caption_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// A timestamp that is one character away from the usual form, in each place and
// for each byte, is read as the text of the standard has it, or not at all.
func TestNearlyUsualTimestamps(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^(?:(\d+):)?([0-5]\d):([0-5]\d)\.(\d{3})$`)
	near := []string{"12:34:56.789", "00:00:00.000", "99:59:59.999", "12:34:56.7890", "12:34:56.78", "12:60:56.789", "12:34:60.789", "34:56.789"}
	for _, stamp := range near[:3] {
		for i := range stamp {
			for c := range 256 {
				if !strings.ContainsRune("\n\r\t\f -<>", rune(c)) { // what parts lines and tokens
					near = append(near, stamp[:i]+string([]byte{byte(c)})+stamp[i+1:])
				}
			}
		}
	}
	for _, stamp := range near {
		got, err := segmentsOf(caption.ReadWebVTT(strings.NewReader("WEBVTT\n\n" + stamp + " --> 999:00:00.000\ntext\n")))
		require.NoError(t, err)
		m := form.FindStringSubmatch(stamp)
		if m == nil {
			require.Empty(t, got, "%q", stamp)
			continue
		}
		ms := int64(0)
		for i, scale := range []int64{3600_000, 60_000, 1000, 1} {
			n, _ := strconv.ParseInt("0"+m[i+1], 10, 64) // no hours are none
			ms += n * scale
		}
		require.Len(t, got, 1, "%q", stamp)
		require.Equal(t, fmt.Sprint(float64(ms)/1000), fmt.Sprint(got[0].Start), "%q", stamp)
	}
}
