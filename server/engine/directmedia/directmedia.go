// Package directmedia reads links that belong to no platform: to a media file, to the page of an
// episode, or to an item of a feed.
//
//	direct, err := directmedia.New(host, directmedia.Options{})
//	e.Direct = direct // of an engine.Engine
//
// The link to an item of a feed is the address of the feed, then "#" and the guid of the
// item. If the item has no guid, its link or the address of its recording replaces the
// guid.
//
// The package reads the publisher's own transcript if there is one: the
// podcast:transcript of an item, or the tracks of a player on a page. The file must
// have times: WebVTT, SubRip, the JSON of the podcast namespace, HTML with <time>. The
// package ignores a file without times, because every segment needs its time in the
// recording. It has proved that there is no transcript if the link leads to a media
// file, or if the feed or the page was read completely and names no transcript with
// times.
//
// The package detects the type of every file by its content, and ignores its
// Content-Type and its name. All requests go through Host.HTTP, so that the egress
// guard checks each redirect too. The source limits the bytes and the time of each
// answer, and keeps no recording in memory.
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

// Options configure a [Source]. The zero value is usable.
type Options struct {
	// MaxBytes is the largest recording, in bytes, if a call sets no limit; 0 means 2
	// GiB.
	MaxBytes int64
	// MaxTime is the longest time of a download; 0 means one hour. The download of a
	// live stream, which never ends, stops at one of the two limits.
	MaxTime time.Duration
}

const (
	defaultMaxBytes = 2 << 30
	defaultMaxTime  = time.Hour
)

// Source implements [engine.DirectSource]. It is safe for concurrent use.
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

// Origin returns [transcript.OriginPublisher] for the platform of such links.
func (s *Source) Origin(p transcript.Platform) (transcript.Origin, bool) {
	return transcript.OriginPublisher, p == transcript.Upload
}

// Captions finds the recording behind a link, and reads the publisher's transcript of
// it. If the chosen transcript has no times, Captions removes it from the tracks and
// calls pick again.
func (s *Source) Captions(ctx context.Context, c engine.Content, pick func([]transcript.Track) (n int, ok bool)) (engine.Captions, error) {
	rec, err := s.find(ctx, c.URL)
	if err != nil {
		return engine.Captions{}, err
	}
	defer rec.close()
	found := engine.Captions{Metadata: rec.about}
	return found, s.readText(ctx, rec, pick, &found)
}

// Audio finds the recording behind a link, and downloads it into a file in dir. The
// name of the file does not show its format.
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

// Examine reports the limits to the operator, because links may lead anywhere.
func (s *Source) Examine(context.Context) []engine.Finding {
	return []engine.Finding{{
		Name: "links to media files", Status: engine.OK,
		Found: fmt.Sprintf("accepted from every account whose plan has uploads; at most %s and %s for a file", humanize.IBytes(uint64(s.o.MaxBytes)), s.o.MaxTime),
	}}
}
