package engine_test

import (
	"context"
	"fmt"
	"log"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// archive is a caption source of a program's own: it has the captions of one video.
type archive map[string]string // language tags to WebVTT files

func (archive) Origin(p transcript.Platform) (transcript.Origin, bool) {
	return transcript.OriginManual, p == transcript.VideoSite
}

func (a archive) Captions(_ context.Context, _ engine.Content, pick func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	var found engine.Captions
	for lang := range a {
		found.Tracks = append(found.Tracks, transcript.Track{ID: lang + ".manual", Lang: lang, Kind: transcript.TrackManual})
	}
	err := found.Choose(pick, func(n int) (caption.File, error) {
		return caption.ReadWebVTT(strings.NewReader(a[found.Tracks[n].Lang]))
	})
	return found, err
}

// A caption source lists its tracks, and lets the caller pick the one to read.
func Example() {
	var source engine.CaptionSource = archive{"en": "WEBVTT\n\n00:01.000 --> 00:02.500\nGood evening.\n"}

	content := engine.Content{Platform: transcript.VideoSite, ExternalID: "dQw4w9WgXcQ"}
	found, err := source.Captions(context.Background(), content, func(tracks []transcript.Track) (int, bool) {
		n := slices.IndexFunc(tracks, func(t transcript.Track) bool { return t.Lang == "en" })
		return n, n >= 0
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range found.Segments {
		fmt.Println(s.Start, s.Duration, s.Text)
	}
	// Output:
	// 1 1.5 Good evening.
}
