package ytdlp

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// suiteNumber changes with the cases: a release that has passed another suite is tested again.
const suiteNumber = 1

// rehearsal is a case of the suite: a content of the site inside this process.
type rehearsal struct {
	about  string // for people
	id     string
	tracks int
	want   []transcript.Code // any of them; nil means no error
}

// rehearsals are the cases of the suite.
var rehearsals = []rehearsal{
	{about: "a video with captions", id: "suite-track", tracks: 1},
	{about: "a video without captions", id: "suite-none0"},
	{about: "a bot check", id: "suite-robot", want: []transcript.Code{transcript.IPBlocked}},
	{about: "captions that want a token", id: "suite-token", want: []transcript.Code{transcript.POTokenRequired}},
	{about: "the answer about another video", id: "suite-other", want: []transcript.Code{transcript.IPBlocked, transcript.UpstreamFailed}},
	{about: "a page with status 429", id: "suite-429xx", want: []transcript.Code{transcript.IPBlocked}},
	{about: "a page of another platform without captions", id: "plain-none"},
	{about: "a page of another platform with status 403", id: "plain-403", want: []transcript.Code{transcript.IPBlocked}},
}

// content returns the content of a case.
func (r rehearsal) content() engine.Content {
	if slices.Contains([]string{"plain-none", "plain-403"}, r.id) {
		return engine.Content{Platform: transcript.ShortVideoSite, ExternalID: r.id, URL: "https://www.example.com/" + r.id}
	}
	return engine.Content{Platform: transcript.VideoSite, ExternalID: r.id, URL: "https://www.youtube.com/watch?v=" + r.id}
}

// rehearse runs the suite. The error says why the suite could not be run.
func (d *Downloader) rehearse(ctx context.Context) (*suiteFailure, error) {
	site, err := openSuiteSite()
	if err != nil {
		return nil, err
	}
	defer site.close()
	on := *d
	on.access, on.program.site, on.program.way, on.program.log = new(atomic.Pointer[Access]), site, nil, slog.New(slog.DiscardHandler)
	on.access.Store(&Access{})
	on.program.host.Judge = nil // no address of the site is on a network
	for _, r := range rehearsals {
		found, err := on.Captions(ctx, r.content(), func(tracks []transcript.Track) (int, bool) { return 0, len(tracks) > 0 })
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if !r.passes(found, err) {
			return &suiteFailure{r.about, len(found.Tracks), err}, nil
		}
	}
	return nil, nil //nolint:nilnil // the release passes
}

// passes reports whether an answer is that of the case.
func (r rehearsal) passes(found engine.Captions, err error) bool {
	if len(r.want) == 0 {
		return err == nil && len(found.Tracks) == r.tracks && len(found.Segments) == r.tracks
	}
	var e *transcript.Error
	return errors.As(err, &e) && slices.Contains(r.want, e.Code)
}
