package page_test

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
)

// The bars of the usage are gray until a limit is reached, in bright and in dark colors. A full
// bar also says so in words.
func TestBrowserUsageIsCalm(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	plan := account.WithoutLimits("small")
	plan.TranscriptsPerPeriod = 5
	s := newSite(t, visitor.User, servertest.OnPlan(plan))
	page := s.open(t)
	page.Desktop()
	for use, link := range []string{"", "dQw4w9WgXcQ", "9bZkp7q19f0", "aaaaaaaaaaa", "bbbbbbbbbbb", "ccccccccccc"} {
		if use > 0 {
			require.Equal(t, http.StatusSeeOther, s.post(t, "/transcripts", "links", link).status)
		}
		if use < 3 {
			continue
		}
		for _, dark := range []bool{false, true} {
			page.Dark(dark)
			page.Open("/usage")
			full := use == 5
			assert.Equal(t, full, colored(t, page, "meter[aria-labelledby=transcripts]"), "%d of 5 used, dark: %v", use, dark)
			assert.Equal(t, full, browsertest.Eval[bool](page, `document.querySelector("main").innerText.includes("All transcripts are used.")`))
			assert.Equal(t, use >= 4, page.Count(".bar-says") == 1, "a bar that is nearly full says so in words")
		}
	}
}

// colored reports whether an element shows a color other than shades of gray.
func colored(t *testing.T, page *browsertest.Page, selector string) bool {
	t.Helper()
	box := browsertest.Eval[[]float64](page, `(() => { const b = document.querySelector(`+browsertest.Quote(selector)+`).getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom].map(n => n * devicePixelRatio); })()`)
	shot, err := png.Decode(bytes.NewReader(browsertest.Run(page, chromedp.CaptureScreenshot())))
	require.NoError(t, err)
	inside := image.Rect(int(box[0])+1, int(box[1])+1, int(box[2])-1, int(box[3])-1).Intersect(shot.Bounds())
	require.Greater(t, inside.Dx()*inside.Dy(), 100)
	for x := inside.Min.X; x < inside.Max.X; x++ {
		r, g, b, _ := shot.At(x, (inside.Min.Y+inside.Max.Y)/2).RGBA()
		if max(r, g, b)-min(r, g, b) > 0x3000 {
			return true
		}
	}
	return false
}
