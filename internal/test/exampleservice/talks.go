package main

import (
	"context"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// The videos of the examples, which have the same ids there.
const (
	gettysburg = "gettysburg1"
	rice       = "moonspeech1"
	inaugural  = "inaugural33"
	removed    = "removedtalk" // removed from its platform
	endless    = "longlecture" // reading its captions takes longer than an example

	speechChannel  = "UCspeeches00000000000000"
	speechPlaylist = "PLspeeches00000000000000"
)

// A talk is a video with captions.
type talk struct {
	title string
	sec   int
	views int64
	said  []transcript.Segment
}

var talks = map[string]talk{
	gettysburg: {"The Gettysburg Address", 12, 9_000, []transcript.Segment{
		{Text: "Four score and seven years ago", Start: 0, Duration: 2.5},
		{Text: "our fathers brought forth on this continent a new nation,", Start: 2.5, Duration: 4},
		{Text: "conceived in liberty.", Start: 6.5, Duration: 2},
	}},
	rice: {"We choose to go to the Moon", 10, 20_000, []transcript.Segment{
		{Text: "We choose to go to the moon.", Start: 0, Duration: 2},
		{Text: "Not because it is easy, but because it is hard.", Start: 3, Duration: 4},
	}},
	inaugural: {"First inaugural address", 9, 7_000, []transcript.Segment{
		{Text: "The only thing we have to fear", Start: 0, Duration: 3},
		{Text: "is fear itself.", Start: 3, Duration: 2},
	}},
}

// captions are the captions of the talks: English ones by people, German ones by a machine.
type captions struct{}

func (captions) Origin(p transcript.Platform) (transcript.Origin, bool) {
	return engine.CaptionOrigin(p)
}

func (captions) Captions(ctx context.Context, c engine.Content, pick func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	if c.ExternalID == endless {
		<-ctx.Done()
		return engine.Captions{}, ctx.Err()
	}
	talk, known := talks[c.ExternalID]
	if !known {
		return engine.Captions{}, transcript.Errorf(transcript.Unavailable, "The video has been removed.")
	}
	found := engine.Captions{
		Metadata: transcript.Metadata{Title: talk.title, Channel: "Famous speeches", CreatorName: "Famous speeches", Duration: float64(talk.sec)},
		Tracks: []transcript.Track{
			{ID: "1", Lang: "en", Name: "English", Kind: transcript.TrackManual},
			{ID: "2", Lang: "de", Name: "German", Kind: transcript.TrackAuto},
		},
	}
	err := found.Choose(pick, func(int) (caption.File, error) { return caption.File{Segments: talk.said}, nil })
	return found, err
}

// publishTalks puts the talks on the video site, as a channel and as a playlist.
func publishTalks(e *servertest.Engine) {
	var videos []video.Video
	for _, id := range []string{rice, inaugural, gettysburg} {
		talk := talks[id]
		videos = append(videos, video.Video{Summary: video.Summary{
			VideoID: id, Title: &talk.title, ChannelID: new(speechChannel), DurationSec: &talk.sec, ViewCount: &talk.views,
		}})
	}
	e.SetVideos(videos...)
	e.SetChannels(video.Channel{ChannelID: speechChannel, Title: new("Famous speeches"), Handle: new("@speeches"), VideoCount: new(int64(3))})
	e.SetPlaylists(video.Playlist{PlaylistID: speechPlaylist, ChannelID: new(speechChannel), Title: new("Short speeches")})
	e.SetList(speechPlaylist, gettysburg, removed, rice)
	e.SetList("@speeches", rice, inaugural, gettysburg)
}
