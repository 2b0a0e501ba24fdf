package main

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
)

var update = flag.Bool("update", false, "with -browser: take the pictures of the README again")

// pictures is where those of the README are.
const pictures = "pictures"

// The README shows what a reader of it sees: the website without flags, the talk that it offers,
// and, with an account, the library and a batch. -update takes the pictures again, at the
// website's own address.
func TestBrowserShowsTheMainPages(t *testing.T) {
	t.Parallel()
	var flags []string
	if *update {
		flags = append(flags, "--listen="+vars()["listen"])
	}
	s, page := openSite(t, flags...)
	page.Do(chromedp.EmulateViewport(1000, 640))

	page.Open("/")
	page.WaitText("main", "Try it with a recording without captions")
	take(t, page, "start")

	page.Click("button", "Try it with a short talk")
	page.WaitAt(`^/transcripts/`)
	page.WaitText("#text", "This is a short talk about a program that listens.")
	take(t, page, "transcript")

	signUp(page, "ann")
	page.Type("textbox", "Link", s.talks.Link()+" "+s.talks.Recording())
	page.Click("button", "Get the transcript")
	page.WaitAt(`^/batches/.`)
	page.WaitText("main", "2 done")
	page.Phone()
	take(t, page, "batch")

	page.Do(chromedp.EmulateViewport(1000, 640))
	page.Dark(true)
	page.Open("/library")
	page.WaitText("main", "A short talk without captions")
	take(t, page, "library")
}

// take looks at a page, and with -update keeps what is seen.
func take(t *testing.T, page *browsertest.Page, name string) {
	t.Helper()
	shot, file := browsertest.Run(page, chromedp.CaptureScreenshot()), filepath.Join(pictures, name+".png")
	require.NotEmpty(t, shot)
	if *update {
		require.NoError(t, os.MkdirAll(pictures, 0o750))
		require.NoError(t, os.WriteFile(file, fewColors(t, shot), 0o600))
	}
	assert.FileExists(t, file, "run this test with -update")
}

// fewColors is a picture of a page in its 256 most frequent colors, a third as large as
// in all of them.
func fewColors(t *testing.T, shot []byte) []byte {
	t.Helper()
	full, err := png.Decode(bytes.NewReader(shot))
	require.NoError(t, err)
	times := map[color.Color]int{}
	for y := range full.Bounds().Dy() {
		for x := range full.Bounds().Dx() {
			times[full.At(x, y)]++
		}
	}
	colors := slices.SortedFunc(maps.Keys(times), func(a, b color.Color) int { return times[b] - times[a] })
	small := image.NewPaletted(full.Bounds(), colors[:min(256, len(colors))])
	draw.Draw(small, small.Rect, full, image.Point{}, draw.Src)
	var out bytes.Buffer
	require.NoError(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, small))
	return out.Bytes()
}
