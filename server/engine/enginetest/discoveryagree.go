package enginetest

import (
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest/sitecatalog"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// same reports a wrong field. nil means that the field is not known; any other value must be
// what the site shows.
func same[V comparable](t T, of string, want, got *V) {
	t.Helper()
	switch {
	case got == nil:
	case want == nil:
		t.Errorf("%s: %v, which the site does not show", of, *got)
	case *want != *got:
		t.Errorf("%s: %v, want %v", of, *got, *want)
	}
}

// onLine returns a title on one line, without marks of direction, as a Discovery may return it.
func onLine(title *string) *string {
	if title == nil {
		return nil
	}
	return new(clip.Line(*title, len(*title)))
}

// agrees compares a video in a list with the catalog.
func (s *DiscoverySite) agrees(t T, got video.Summary) {
	t.Helper()
	want, ok := s.Video(got.VideoID)
	if !ok {
		t.Errorf("a video that is not there: %q", got.VideoID)
		return
	}
	id := got.VideoID
	assert.NotNil(t, got.Title, "%s: title", id)
	same(t, id+": title", onLine(want.Title), onLine(got.Title))
	same(t, id+": channelId", want.ChannelID, got.ChannelID)
	same(t, id+": channel", want.Channel, got.Channel)
	same(t, id+": durationSec", want.DurationSec, got.DurationSec)
	same(t, id+": viewCount", want.ViewCount, got.ViewCount)
	same(t, id+": isLive", want.IsLive, got.IsLive)
	same(t, id+": isShort", want.IsShort, got.IsShort)
	same(t, id+": captionAvailable", want.CaptionAvailable, got.CaptionAvailable)
	if at := got.PublishedAt; at != nil && !at.Equal(want.PublishedAt.Time) && !at.Equal(want.PublishedAt.Truncate(24*time.Hour)) {
		t.Errorf("%s: publishedAt: %v, want %v, or its day", id, at, want.PublishedAt)
	}
	isAddress(t, id+": thumbnailUrl", got.ThumbnailURL)
}

// agreesOnVideo compares a described video with the catalog.
func (s *DiscoverySite) agreesOnVideo(t T, got video.Video) {
	t.Helper()
	s.agrees(t, got.Summary)
	want, _ := s.Video(got.VideoID)
	id := got.VideoID
	same(t, id+": description", want.Description, got.Description)
	same(t, id+": likeCount", want.LikeCount, got.LikeCount)
	if got.Tags != nil {
		assert.Equal(t, append([]string{}, want.Tags...), append([]string{}, got.Tags...), "%s: tags", id)
	}
	status := transcript.MetadataPartial
	if got.Title != nil && got.Channel != nil && got.DurationSec != nil {
		status = transcript.MetadataComplete
	}
	assert.Equal(t, status, got.MetadataStatus, "%s: metadataStatus", id)
	switch got.TrackMetadataStatus {
	case transcript.TracksOK:
		assert.Equal(t, want.Languages, got.Languages, "%s: languages", id)
		assert.Len(t, got.Tracks, len(want.Tracks), "%s: tracks", id)
	case transcript.TracksEmpty:
		assert.Empty(t, want.Tracks, "%s: tracks that were not seen", id)
	case transcript.TracksFailed, transcript.TracksSkipped:
		assert.Nil(t, got.Tracks, "%s: tracks that are not known", id)
		assert.Nil(t, got.Languages, "%s: languages that are not known", id)
	default:
		t.Errorf("%s: trackMetadataStatus: %q", id, got.TrackMetadataStatus)
	}
}

func (s *DiscoverySite) agreesOnChannel(t T, got video.Channel) {
	t.Helper()
	n := slices.IndexFunc(s.Channels, func(c sitecatalog.Channel) bool { return c.ChannelID == got.ChannelID })
	if n < 0 {
		t.Errorf("a channel that is not there: %q", got.ChannelID)
		return
	}
	want, id := s.Channels[n], got.ChannelID
	assert.NotNil(t, got.Title, "%s: title", id)
	same(t, id+": title", want.Title, got.Title)
	same(t, id+": handle", want.Handle, got.Handle)
	same(t, id+": description", want.Description, got.Description)
	same(t, id+": subscriberCount", want.SubscriberCount, got.SubscriberCount)
	same(t, id+": videoCount", want.VideoCount, got.VideoCount)
	same(t, id+": uploadsPlaylistId", want.UploadsPlaylistID, got.UploadsPlaylistID)
	isAddress(t, id+": url", got.URL)
	isAddress(t, id+": thumbnailUrl", got.ThumbnailURL)
}

func (s *DiscoverySite) agreesOnPlaylist(t T, got video.Playlist) {
	t.Helper()
	want, ok := s.Playlist(got.PlaylistID)
	if !ok || want.Private {
		t.Errorf("a playlist that is not there: %q", got.PlaylistID)
		return
	}
	id := got.PlaylistID
	assert.NotNil(t, got.Title, "%s: title", id)
	same(t, id+": title", want.Title, got.Title)
	same(t, id+": channelId", want.ChannelID, got.ChannelID)
	same(t, id+": channel", want.Channel, got.Channel)
	same(t, id+": itemCount", want.ItemCount, got.ItemCount)
	isAddress(t, id+": thumbnailUrl", got.ThumbnailURL)
}

// isAddress requires an http or https address, or nil.
func isAddress(t T, of string, text *string) {
	t.Helper()
	if text == nil {
		return
	}
	at, err := url.Parse(*text)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" {
		t.Errorf("%s", fmt.Sprintf("%s: no address of the web: %q", of, *text))
	}
}
