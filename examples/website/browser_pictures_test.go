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

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/browsertest"
	"github.com/transcriptkit/transcriptkit/internal/sitetest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

var update = flag.Bool("update", false, "with -browser: make the pictures of the README anew")

// pictures is where those of the README are.
const pictures = "pictures"

// The README shows the main pages, as -update has last seen them.
func TestBrowserShowsTheMainPages(t *testing.T) {
	t.Parallel()
	videos, flags := newVideos(t)
	s, page := openSite(t, append(flags, "--single-user")...)
	fill(t, s, videos)
	page.Do(chromedp.EmulateViewport(1000, 640))
	for _, picture := range []struct {
		name, path, wait string
		dark, phone      bool
	}{
		{"start", "/", "What was said", false, false},
		{"transcript", "/transcripts/video_site/lighthouse1?language=en", "lamp", false, false},
		{"library", "/library", "lighthouse", true, false},
		{"batch", "/batches", "2 done", false, true},
	} {
		page.Dark(picture.dark)
		if picture.phone {
			page.Phone()
		}
		page.Open(picture.path)
		page.WaitText("main", picture.wait)
		if picture.name == "batch" {
			page.Do(chromedp.Click(chromedp.CSS(".batch-name a")))
			page.WaitAt(`^/batches/.`)
			page.WaitText("main", picture.wait)
		}
		shot := browsertest.Run(page, chromedp.CaptureScreenshot())
		require.NotEmpty(t, shot)
		if *update {
			require.NoError(t, os.MkdirAll(pictures, 0o750))
			require.NoError(t, os.WriteFile(filepath.Join(pictures, picture.name+".png"), fewColors(t, shot), 0o600))
		}
		assert.FileExists(t, filepath.Join(pictures, picture.name+".png"), "run this test with -update")
	}
}

// fill gives the one user some texts and a batch.
func fill(t *testing.T, s *website, v videos) {
	t.Helper()
	for id, title := range map[string]string{"lighthouse1": "How a lighthouse works", "tidepools01": "Life in a tide pool", "old-bridge1": "The oldest bridge in town"} {
		channel := "Evening talks"
		var segments []transcript.Segment
		for n, line := range []string{
			"Good evening, and thank you all for coming.", "Tonight we talk about something you have all seen from afar.",
			"The lamp is small, hardly brighter than one at home.", "What makes it reach so far is the glass around it.",
			"Each ring bends the light a little, until all of it goes one way.", "And then the whole lens turns, once in ten seconds.",
			"So how do sailors know which lighthouse they see?", "By its rhythm. No two along a coast have the same.",
			"You count the seconds of the dark between the flashes.", "Then you look it up, and know where you are.",
		} {
			segments = append(segments, transcript.Segment{Text: line, Start: float64(6 * n), Duration: 5, Speaker: []string{"Host", "Guest"}[n/6%2]})
		}
		_, err := s.server.PutTranscript(t.Context(), "me", transcript.Transcript{
			Platform: transcript.VideoSite, ExternalID: id, Lang: "en", Title: &title, Channel: &channel, Segments: segments,
			Metadata: map[string]any{"chapters": []transcript.Chapter{{Title: "The lamp and its lens", Start: 0}, {Title: "Which one is it?", Start: 36}}},
		})
		require.NoError(t, err)
	}
	api, err := client.New(s.address() + "web")
	require.NoError(t, err)
	made, err := api.Batches.Create(t.Context(), client.BatchParams{URLs: []string{v.link(sitetest.TwoTracks), v.link(sitetest.OtherForms)}})
	require.NoError(t, err)
	_, err = api.Batches.Wait(t.Context(), made.ID)
	require.NoError(t, err)
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
