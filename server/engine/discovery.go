package engine

import (
	"context"

	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// Discovery finds videos, channels and playlists of the video site. Its errors carry
// codes, as those of a [CaptionSource]; UNAVAILABLE for a channel or a playlist that is
// private or does not exist. What cannot be asked or read is an error and never an empty
// list, a shorter one, or a video that is not found. A question that this way to the site
// cannot put is NOT_IMPLEMENTED with the parameter's name as detail "parameter"; what it
// cannot learn of a thing is nil. Safe for concurrent use.
type Discovery interface {
	// Search finds what q asks for. All its members are set but ChannelID, which may be
	// empty.
	Search(ctx context.Context, q video.Search, at Window) (Listing[video.Result], error)
	// Videos returns those of the videos that there are, at most 50, in any order. Each
	// Content has the id and the link of one.
	Videos(ctx context.Context, contents []Content) ([]video.Video, error)
	// Channel returns a channel, which may go by its name.
	Channel(ctx context.Context, channel List) (video.Channel, error)
	// Uploads lists what a channel has uploaded, newest first. The ID of the listing is
	// the channel's, also where it was named.
	Uploads(ctx context.Context, channel List, kind video.Kind, at Window) (Listing[video.Summary], error)
	// Items lists a playlist in its own order. What has been removed or is private stays,
	// with its id alone.
	Items(ctx context.Context, playlist List, at Window) (Listing[video.Item], error)
}

// Window is the part of a list that is wanted.
type Window struct {
	// After is the Next of the listing before; empty: from the start. It comes from a
	// caller, who may have made it up: one that is none is INVALID_REQUEST, with an issue
	// whose path is "pageToken".
	After string
	Max   int // entries wanted at most, 1 to 50
}

// Listing is a page of a list.
type Listing[T any] struct {
	ID    string // of the list, where it has one
	Title string // of the list; empty: not known
	Items []T
	Next  string // where the next page begins, at most 512 bytes; empty: there is no more
}
