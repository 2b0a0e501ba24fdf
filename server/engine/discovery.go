package engine

import (
	"context"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// Discovery finds videos, channels and playlists of the video site. Its errors carry
// codes, like those of a [CaptionSource]. A channel or a playlist that is private or does
// not exist is UNAVAILABLE. If the quota at the site is used up, the error is
// SERVICE_UNAVAILABLE with RetryAfter. If the site does not answer, or if its answer
// cannot be read, the method returns an error, never an empty or shorter list. A field is
// nil if the Discovery cannot find out its value. If it does not support a parameter, it
// returns [CannotAsk]. A Discovery must be safe for concurrent use.
type Discovery interface {
	// Search returns a page of the results of q. All fields of q are set, except that
	// ChannelID may be empty.
	Search(ctx context.Context, q video.Search, at Window) (Listing[video.Result], error)
	// Videos returns the existing videos among contents, each once, in any order. Each Content
	// has the id and the link of one video; there are at most 50.
	Videos(ctx context.Context, contents []Content) ([]video.Video, error)
	// Channel returns a channel. The caller may name the channel: its ID is then "@handle",
	// "c/name" or "user/name".
	Channel(ctx context.Context, channel List) (video.Channel, error)
	// Uploads lists a channel's uploads, newest first. The ID of the listing is the channel's
	// id, even if the caller named the channel.
	Uploads(ctx context.Context, channel List, kind video.Kind, at Window) (Listing[video.Summary], error)
	// Items lists a playlist in the playlist's own order. A removed or private entry stays in
	// the list, with only its id.
	Items(ctx context.Context, playlist List, at Window) (Listing[video.Item], error)
}

// ByAPI is an optional interface of a [Discovery] that uses the site's API and visits
// none of its pages. Because the API has a quota of its own, the rate of visits does
// not apply (see package pace).
type ByAPI interface{ ByAPI() }

// Window selects a page of a list.
type Window struct {
	// After is the Next of the previous listing; empty means the start. It comes from a
	// caller: if it is not a token of the list, return [NoSuchPage].
	After string
	Max   int // the largest number of entries, 1 to 50
}

// Listing is a page of a list.
type Listing[T any] struct {
	ID    string // of the list, if it has one
	Title string // of the list; empty if not known
	// Items are the entries of the page. A page may have fewer entries than wanted, even none,
	// although more pages follow.
	Items []T
	Next  string // where the next page begins, at most 512 bytes; empty means that there is no more
}

// NoSuchPage returns the INVALID_REQUEST error of a [Discovery] for a [Window] with an
// After that is not a page token or is too old.
func NoSuchPage() *transcript.Error {
	return transcript.Errorf(transcript.InvalidRequest, "The page token is invalid or too old: begin with the first page again.").
		With("issues", []transcript.Issue{{Path: "pageToken", Message: "is not a token of this list, or too old"}})
}

// CannotAsk returns the NOT_IMPLEMENTED error of a [Discovery] that does not support a
// parameter of the API: "type", "order", "channelId" or "channel". The error's detail
// "parameter" names it. cure says what to do instead, such as "leave it out".
func CannotAsk(parameter, cure string) *transcript.Error {
	return transcript.Errorf(transcript.NotImplemented, "This service cannot ask the video site for this %s: %s.", parameter, cure).With("parameter", parameter)
}
