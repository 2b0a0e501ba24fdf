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
	// Login permits the source to read the content with a login of the operator, if the platform
	// refuses every other way. The caller then keeps the result for one account, if the source
	// says that the content is private: see Captions.Private and AudioOptions.Private.
	Login bool
}

// CaptionSource reads the caption tracks that platforms offer. Its errors have the
// codes of package transcript. If the content is gone, the code is UNAVAILABLE, with
// the cause [ErrNothingFound] if that is not certain. If the platform blocks the
// request, the code is IP_BLOCKED, with RetryAfter if the platform names a time. If the
// answer cannot be understood, the code is UPSTREAM_FAILED. A CaptionSource must be
// safe for concurrent use.
//
// No tracks and no error mean that the content has no captions: the service then
// recognizes the speech and charges for it. Return that only if the platform itself
// says so. Each source documents its proof: a complete answer about exactly this
// content. The answer must say that the content can be played, and would list tracks if
// there were any. A refusal, an answer about other content or in another form, and a
// missing answer prove nothing, even if another answer contains the sound. If the
// source sends requests as several clients of the platform, only the answer to the
// client that gets captions is a proof. The service believes a source that finds no
// tracks only if the platform has refused no other source.
//
// An IP_BLOCKED error opens the source's circuit breaker for its platform: the service
// does not call the source for the seconds of RetryAfter, or for 30 s if that is not
// set, and for longer while the block continues. The first answer afterwards,
// UNAVAILABLE included, closes the circuit. No other code opens it: neither
// requirements of the content (LOGIN_REQUIRED, PO_TOKEN_REQUIRED) nor faults
// (UPSTREAM_FAILED), which count as attempts of the job. See package pace.
type CaptionSource interface {
	// Origin returns the Source of transcripts that are made from a platform's
	// captions. It returns false if this source cannot read the platform.
	Origin(p transcript.Platform) (transcript.Origin, bool)
	// Captions lists the caption tracks of a content, lets pick choose one, and reads
	// that track. If there are tracks, pick is called once, with all of them; it
	// returns an index, or false to read none. If pick chooses none, and the platform
	// withholds tracks of known languages, pick is called once more, with the withheld
	// tracks. If it then chooses one, the error is PO_TOKEN_REQUIRED. With an error,
	// Captions returns everything learned before it. No error and no track mean that
	// the source has proved that the content has no captions: then the service
	// recognizes the speech, even if the platform blocks another source. If a page is
	// empty, cut off or about something else, Captions must return an error.
	Captions(ctx context.Context, c Content, pick func([]transcript.Track) (n int, ok bool)) (Captions, error)
}

// CaptionOrigin implements Origin for a [CaptionSource] that downloads caption files
// from every platform that offers them. ok is false for other platforms.
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

// ErrNothingFound is the cause of an UNAVAILABLE error that is not certain: the source
// found no media, or a page of an unknown kind. If another source was blocked or
// failed, the service reports that source's error instead. An UNAVAILABLE error without
// this cause means that the platform itself says that the content is gone, private or
// not available in this region: the service then asks no other source.
var ErrNothingFound = errors.New("nothing was found")

// Captions is what a caption source found.
type Captions struct {
	Metadata transcript.Metadata
	// Tracks are in the platform's order. If they are nil, the tracks are not known after an
	// error, and otherwise there are none.
	Tracks []transcript.Track
	// Private reports that the source has read the content with a login of the
	// operator, and that the platform does not say that everyone may see the content.
	// Then the service returns these Captions only to the account that requested them.
	// A source may do so only if Content.Login is true.
	Private bool
	// Unlisted reports that the platform withholds further tracks whose languages are not
	// known. A language that is missing from Tracks may be among them.
	Unlisted bool
	// Track is the chosen track; nil if pick chose none. Segments is its text, sorted by
	// start; times are seconds on the media clock. The source need not clean up rolling
	// captions: the service unrolls the captions of automatic tracks.
	Track    *transcript.Track
	Segments []transcript.Segment
	// Lost describes the cues of the text that could not be read; nil if there are none. If all
	// cues are lost, the error is UPSTREAM_FAILED instead of an empty text.
	Lost *caption.LostError
}

// Choose helps to implement a [CaptionSource]: it lets pick choose one of c.Tracks,
// calls read to fetch that track, and sets c.Track, c.Segments and c.Lost. It returns
// the error of read, or an error if pick returns an invalid index. If the track has no
// text, the error has the code UPSTREAM_FAILED.
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
	if len(text.Segments) == 0 {
		return transcript.Errorf(transcript.UpstreamFailed, "The platform's captions hold no text.")
	}
	c.Track, c.Segments, c.Lost = &c.Tracks[n], text.Segments, text.Lost
	return nil
}

// AudioSource downloads the sound of a piece of content. Its errors have the codes of a
// [CaptionSource], with the same effect. If the content has no sound, the code is
// UNAVAILABLE. If the download is larger than MaxBytes, it is MEDIA_TOO_LARGE. An
// AudioSource must be safe for concurrent use.
type AudioSource interface {
	// Audio downloads the content's complete sound into a new file in dir, and returns
	// its path. The caller removes any other files that Audio leaves in dir.
	Audio(ctx context.Context, c Content, dir string, o AudioOptions) (path string, err error)
}

// DirectSource reads links that belong to no platform. The contents have the platform
// [transcript.Upload] and the link as URL. The source must ignore their ExternalID. No
// tracks and no error mean that the publisher provides no transcript with times. A link
// may lead anywhere, so a DirectSource never answers IP_BLOCKED: the circuit that this
// code opens would refuse the links of all other hosts.
type DirectSource interface {
	CaptionSource
	AudioSource
}

// AudioOptions are the options of one download.
type AudioOptions struct {
	// MaxBytes is how many bytes the download may receive at most; 0 means the source's
	// own limit.
	MaxBytes int64
	// Known, if set, is called once, before anything large is downloaded, with the
	// platform's metadata of the content. If it returns an error, the download ends
	// with that error.
	Known func(transcript.Metadata) error
	// Private, if set, is called once, before anything large is downloaded, if the
	// source reads the content with a login of the operator and the platform does not
	// say that everybody may see the content. If it returns an error, the download ends
	// with that error. Without Private, the source uses no login.
	Private func() error
	// Progress, if set, is called with the received bytes and the expected total, which is 0 if
	// not known.
	Progress func(done, total int64)
}
