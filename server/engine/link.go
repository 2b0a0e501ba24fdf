package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// Content is one piece of content on a platform.
type Content struct {
	Platform   transcript.Platform
	ExternalID string // valid by the platform table
	URL        string // the canonical link, http or https
}

// CaptionSource reads the caption tracks that platforms offer. Its errors carry
// codes (package transcript): UNAVAILABLE for content that is gone (because of
// [ErrNothingFound] where that is not proven), IP_BLOCKED for a platform that blocks
// (with RetryAfter where it says for how long), UPSTREAM_FAILED for an answer that
// cannot be understood. Safe for concurrent use.
//
// No tracks and no error mean that there are none: the service then recognizes the speech
// and charges for it. Return that on the platform's own word alone. Each source writes down
// what that word is: a full answer about this very content, which says that the content can
// be played, and in which tracks would stand. An answer that refuses, is about another
// content, has another shape, or is missing proves nothing, also where another answer gives
// the sound. Where the platform is asked as several clients, it is the word of the one to
// which it shows captions. The service believes a source that finds none only if the
// platform has turned no other source away.
//
// One IP_BLOCKED opens the source's circuit for its platform: it is not called
// for the seconds of RetryAfter, or without that for 30 s, then for longer while
// the block goes on; the first answer afterwards, UNAVAILABLE included, closes
// it. No other code opens it: not what a content demands (LOGIN_REQUIRED,
// PO_TOKEN_REQUIRED), and not faults (UPSTREAM_FAILED), which count as attempts of
// the job. See package pace.
type CaptionSource interface {
	// Origin is what a transcript made from a platform's captions names as its
	// source; false: this source cannot read that platform.
	Origin(p transcript.Platform) (transcript.Origin, bool)
	// Captions lists the caption tracks of a content, lets pick choose one, and
	// reads that one. pick is called once, with all tracks, when there is at least one;
	// it returns an index, and false to read none. If it takes none, and the platform
	// withholds tracks whose languages are known, pick is called once more, with these:
	// if it takes one, the error is PO_TOKEN_REQUIRED. What was learned before an error is
	// returned with it.
	Captions(ctx context.Context, c Content, pick func([]transcript.Track) (n int, ok bool)) (Captions, error)
}

// CaptionOrigin is what a [CaptionSource] answers to Origin that downloads the
// caption files of every platform which has some; ok is false for the others.
func CaptionOrigin(p transcript.Platform) (origin transcript.Origin, ok bool) {
	switch p {
	case transcript.VideoSite:
		return transcript.OriginDownloader, true
	case transcript.ShortVideoSite:
		return transcript.OriginShortVideoSiteCaptions, true
	case transcript.ProfessionalSite:
		return transcript.OriginProfessionalCaptions, true
	}
	return "", false
}

// ErrNothingFound is the cause of an UNAVAILABLE that is not proven: the source has
// found no media, or a page of a kind that it does not know. If another source was
// blocked or failed, the error of that one is reported. An UNAVAILABLE without this
// cause means that the platform says that the content is gone, private or not for
// this region: no other source is asked then.
var ErrNothingFound = errors.New("nothing was found")

// Captions is what a caption source found.
type Captions struct {
	Metadata transcript.Metadata
	// Tracks are in the platform's order. nil after an error means that they are
	// not known, else that there are none.
	Tracks []transcript.Track
	// Unlisted reports that the platform has more tracks than these and withholds them,
	// and that their languages are not known. A language that is not among Tracks may then
	// be there.
	Unlisted bool
	// Track is the one that was picked, nil when none was. Segments is its text,
	// sorted by start; times are seconds on the media clock. It may be empty. Rolling
	// captions are left as they are: the service unrolls those of automatic tracks.
	Track    *transcript.Track
	Segments []transcript.Segment
	// Lost tells of the cues of that text that could not be read, nil when there are
	// none. A text of which all are lost is UPSTREAM_FAILED, not an empty one.
	Lost *caption.LostError
}

// Choose is the second half of a [CaptionSource]: where there are Tracks it lets
// pick choose one, has read fetch that one, and sets Track, Segments and Lost. The
// error is that of read, or tells of a pick that is no track.
func (c *Captions) Choose(pick func([]transcript.Track) (n int, ok bool), read func(n int) (caption.File, error)) error {
	if len(c.Tracks) == 0 {
		return nil
	}
	n, ok := pick(c.Tracks)
	if !ok {
		return nil
	}
	if n < 0 || n >= len(c.Tracks) {
		return fmt.Errorf("engine: track %d of %d was picked", n, len(c.Tracks))
	}
	text, err := read(n)
	if err != nil {
		return err
	}
	c.Track, c.Segments, c.Lost = &c.Tracks[n], text.Segments, text.Lost
	return nil
}

// AudioSource downloads the sound of a piece of content. Its errors carry the codes
// of a CaptionSource's, with the same effect; content without sound is UNAVAILABLE,
// more than MaxBytes MEDIA_TOO_LARGE. Safe for concurrent use.
type AudioSource interface {
	// Audio downloads the content's sound into a new file in dir, whole or not at
	// all, and returns its path. What else it leaves in dir is the caller's to
	// remove.
	Audio(ctx context.Context, c Content, dir string, o AudioOptions) (path string, err error)
}

// AudioOptions are the wishes of one download.
type AudioOptions struct {
	// MaxBytes is the most that may be received; 0: the source's own bound.
	MaxBytes int64
	// Known, when set, is called once, before anything large is downloaded, with
	// what the platform says of the content. Its error ends the download and is
	// returned as it is.
	Known func(transcript.Metadata) error
	// Progress, when set, is called with the bytes received and their expected
	// total, 0 when that is not known.
	Progress func(done, total int64)
}
