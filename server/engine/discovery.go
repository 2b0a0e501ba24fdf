package engine

import (
	"context"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// Discovery finds videos, channels and playlists of the video site. Its errors carry
// codes, as those of a [CaptionSource]; UNAVAILABLE for a channel or a playlist that is
// private or does not exist, SERVICE_UNAVAILABLE with RetryAfter where what the site
// allows is used up for now. What cannot be asked or read is an error and never an empty
// list, a shorter one, or a video that is not found. What this way to the site cannot
// learn of a thing is nil, and a question that it cannot put is a [CannotAsk]. Safe for
// concurrent use.
type Discovery interface {
	// Search finds what q asks for. All its members are set but ChannelID, which may be
	// empty.
	Search(ctx context.Context, q video.Search, at Window) (Listing[video.Result], error)
	// Videos returns those of the videos that there are, at most 50, each once, in any
	// order. Each Content has the id and the link of one.
	Videos(ctx context.Context, contents []Content) ([]video.Video, error)
	// Channel returns a channel, which may go by its name: its ID is then "@handle",
	// "c/name" or "user/name".
	Channel(ctx context.Context, channel List) (video.Channel, error)
	// Uploads lists what a channel has uploaded, newest first. The ID of the listing is
	// the channel's, also where it was named.
	Uploads(ctx context.Context, channel List, kind video.Kind, at Window) (Listing[video.Summary], error)
	// Items lists a playlist in its own order. What has been removed or is private stays,
	// with its id alone.
	Items(ctx context.Context, playlist List, at Window) (Listing[video.Item], error)
}

// ByAPI is implemented by a [Discovery] that asks the site's interface for programs, which
// has a quota of its own, and visits none of its pages: the pace of visits is not kept for
// it (see package pace).
type ByAPI interface{ ByAPI() }

// Window is the part of a list that is wanted.
type Window struct {
	// After is the Next of the listing before; empty: from the start. It comes from a
	// caller, who may have made it up: one that is none is a [NoSuchPage].
	After string
	Max   int // entries wanted at most, 1 to 50
}

// Listing is a page of a list.
type Listing[T any] struct {
	ID    string // of the list, where it has one
	Title string // of the list; empty: not known
	// Items are those of the page. There may be fewer than were wanted, even none,
	// although more pages follow.
	Items []T
	Next  string // where the next page begins, at most 512 bytes; empty: there is no more
}

// NoSuchPage is the INVALID_REQUEST of a [Discovery] for a Window whose After is none, or
// has ended its life.
func NoSuchPage() *transcript.Error {
	return transcript.Errorf(transcript.InvalidRequest, "The page token is none, or is too old: begin with the first page again.").
		With("issues", []transcript.Issue{{Path: "pageToken", Message: "is no token of this list, or too old"}})
}

// CannotAsk is the NOT_IMPLEMENTED of a [Discovery] for a question that it cannot put:
// because of a parameter of the API ("type", "order", "channelId", "channel"), which the
// detail "parameter" names. The cure says what to do instead: "leave it out".
func CannotAsk(parameter, cure string) *transcript.Error {
	return transcript.Errorf(transcript.NotImplemented, "This service cannot ask the video site for this %s: %s.", parameter, cure).With("parameter", parameter)
}
