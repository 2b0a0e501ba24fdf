// Package directmedia reads links that belong to no platform: to a media file, to the page of an
// episode, or to an item of a feed.
//
//	direct, err := directmedia.New(host, directmedia.Options{})
//	e.Direct = direct // of an engine.Engine
//
// The link to an item of a feed is the address of the feed, then "#" and the guid of the item.
// For an item without a guid its link stands there, or the address of its recording.
//
// The publisher's own transcript comes first: the podcast:transcript of an item, the tracks of a
// player on a page. A transcript counts if its file has times: WebVTT, SubRip, the JSON of the
// podcast namespace, HTML with <time>. A file without times is no transcript here, because every
// segment needs its place in the recording. There are proven to be none if the link leads to a
// media file, or if the feed or the page was read whole and names none with times.
//
// The package judges every file by its content, and believes neither its Content-Type nor its name. All
// requests go through Host.HTTP, whose guard judges each redirect too. The source bounds the bytes
// and the time of each answer, and keeps no recording in memory.
package directmedia

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Options are the bounds of a recording.
type Options struct {
	// MaxBytes is the largest recording, in bytes, if a call sets no bound; 0: 2 GiB.
	MaxBytes int64
	// MaxTime is the longest download of a recording; 0: one hour. A live stream, which never
	// ends, ends by one of the two bounds.
	MaxTime time.Duration
}

const (
	defaultMaxBytes = 2 << 30
	defaultMaxTime  = time.Hour
)

// Source is an [engine.DirectSource]. Safe for concurrent use.
type Source struct {
	http *http.Client
	o    Options
}

var (
	_ engine.DirectSource = (*Source)(nil)
	_ engine.Examiner     = (*Source)(nil)
)

// New returns a source that opens links by Host.HTTP. The error names the wrong option, or says
// that the host has no network.
func New(host engine.Host, o Options) (*Source, error) {
	switch {
	case host.HTTP == nil:
		return nil, errors.New("directmedia: the host has no network")
	case o.MaxBytes < 0:
		return nil, fmt.Errorf("directmedia: Options.MaxBytes: %d is below 0", o.MaxBytes)
	case o.MaxTime < 0:
		return nil, fmt.Errorf("directmedia: Options.MaxTime: %s is below 0", o.MaxTime)
	}
	o.MaxBytes, o.MaxTime = cmp.Or(o.MaxBytes, defaultMaxBytes), cmp.Or(o.MaxTime, defaultMaxTime)
	client := *host.HTTP
	client.CheckRedirect = checkRedirect
	client.Jar = nil
	return &Source{http: &client, o: o}, nil
}

// Origin is the origin of texts that publishers have made.
func (s *Source) Origin(p transcript.Platform) (transcript.Origin, bool) {
	return transcript.OriginPublisher, p == transcript.Upload
}

// Captions finds the recording behind a link, and reads the publisher's transcript of it. If a
// chosen transcript turns out to hold no times, the source leaves it out and calls pick again.
func (s *Source) Captions(ctx context.Context, c engine.Content, pick func([]transcript.Track) (n int, ok bool)) (engine.Captions, error) {
	rec, err := s.find(ctx, c.URL)
	if err != nil {
		return engine.Captions{}, err
	}
	defer rec.close()
	found := engine.Captions{Metadata: rec.about}
	return found, s.readText(ctx, rec, pick, &found)
}

// Audio finds the recording behind a link, and downloads it into a file in dir. The file has no
// name that tells its format.
func (s *Source) Audio(ctx context.Context, c engine.Content, dir string, o engine.AudioOptions) (string, error) {
	o.MaxBytes = cmp.Or(o.MaxBytes, s.o.MaxBytes)
	rec, err := s.find(ctx, c.URL)
	if err != nil {
		return "", err
	}
	defer rec.close()
	if rec.sound == "" {
		return "", transcript.Errorf(transcript.Unavailable, "The feed names no recording for this item.")
	}
	if o.Known != nil {
		if err := o.Known(rec.about); err != nil {
			return "", err
		}
	}
	return s.download(ctx, rec, dir, o)
}

// Examine reports the bounds: links may lead anywhere, and an operator is to know.
func (s *Source) Examine(context.Context) []engine.Finding {
	return []engine.Finding{{
		Name: "links to media files", Status: engine.OK,
		Found: fmt.Sprintf("accepted from every account whose plan has uploads; at most %s and %s for a file", humanize.IBytes(uint64(s.o.MaxBytes)), s.o.MaxTime),
	}}
}
