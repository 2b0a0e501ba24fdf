package ytdlp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/refusal"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// What each video may take in a run that describes several, besides what the run itself
// may: bytes of pages, and time.
const (
	maxPage  = 8 << 20
	pageTime = 10 * time.Second
)

// Videos describes videos as engine.Discovery says, all of them in one run of the program,
// one after the other. The run ends with the first that could not be read. A video that is
// there and whose captions are withheld, for whatever reason, is described without them.
// Videos without tracks are asked for once more, as by Captions: whether they have captions
// is open where that proves nothing.
func (d *Downloader) Videos(ctx context.Context, contents []engine.Content) ([]video.Video, error) {
	if len(contents) == 0 {
		return nil, nil
	}
	args, ids := []string{"--ignore-errors", "--write-subs", "-J", "--"}, make([]string, len(contents))
	for i, c := range contents {
		if err := checkLink(c.URL); err != nil {
			return nil, err
		}
		args, ids[i] = append(args, c.URL), c.ExternalID
	}
	within, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	said := &descriptions{of: contents, stop: stop}
	more := time.Duration(len(contents)) * pageTime
	exit, err := d.run(within, run{
		content: engine.Content{ExternalID: strings.Join(ids, ",")},
		args:    args,
		command: engine.Command{
			Stdout: said, Stderr: said, // the same, so that each complaint comes before the description that it is about
			Limits:  engine.Limits{Wall: 2*time.Minute + more, CPU: time.Minute + more, FileSize: maxFile},
			Network: &engine.Network{MaxBytes: maxPages + int64(len(contents))*maxPage},
		},
		complaints: func() []byte { return said.complaints },
	})
	switch n := said.read; {
	case said.err != nil && len(exit.Refused) > 0:
		return nil, refusedByGuard(contents[n-1].URL, exit)
	case err != nil:
		return nil, err
	case n < len(contents):
		exit.Stderr = said.since
		return nil, fault(contents[n], exit)
	}
	return said.found, d.proveAbsence(ctx, contents, said.found)
}

// descriptions reads what the program writes when it is asked for several contents: for
// each of them, in their order, its complaints and then a line of JSON, null where it has
// nothing to say.
type descriptions struct {
	of   []engine.Content
	stop func(error) // ends the program

	found      []video.Video
	read       int    // how many have been described, or not
	err        error  // why the program was ended
	line       []byte // the beginning of one whose end is yet to come
	since      []byte // complaints since the last description
	complaints []byte // all of them, up to maxComplaintBytes
}

// maxComplaintBytes bounds what is kept of the complaints of a run.
const maxComplaintBytes = 1 << 20

// Write fails when there is too much, and once the program is to end.
func (s *descriptions) Write(data []byte) (int, error) {
	n := len(data)
	for s.err == nil {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		if len(s.line)+len(line) > maxInfo {
			s.fail(upstream("The page says too much of its content.").Because(fmt.Errorf("ytdlp: over %d bytes", maxInfo)))
			break
		}
		s.line = append(s.line, line...)
		if !whole {
			return n, nil
		}
		s.next(s.line)
		s.line, data = s.line[:0], rest
	}
	return 0, s.err
}

func (s *descriptions) fail(err error) {
	s.err = err
	s.stop(err)
}

// next reads a line.
func (s *descriptions) next(line []byte) {
	if !bytes.HasPrefix(line, []byte("{")) && string(line) != "null" {
		line = append(line, '\n')
		s.since = append(s.since, line[:min(len(line), maxComplaintBytes-len(s.since))]...)
		s.complaints = append(s.complaints, line[:min(len(line), maxComplaintBytes-len(s.complaints))]...)
		return
	}
	if s.read == len(s.of) {
		s.fail(upstream("The platform's answer cannot be understood.").Because(errors.New("ytdlp: more is described than was asked for")))
		return
	}
	c := s.of[s.read]
	s.read++
	v, err := describe(c, line, engine.Exit{Stderr: s.since})
	switch {
	case err != nil:
		s.fail(err)
	case v != nil:
		s.found = append(s.found, *v)
	}
	s.since = nil
}

// describe reads the description of a video; nil: the site says that it is not there.
func describe(c engine.Content, line []byte, exit engine.Exit) (*video.Video, error) {
	m, err := parseMedia(line, c.ExternalID)
	switch {
	case err != nil: // several contents, or what is none
		return nil, upstream("The platform's answer cannot be understood.").Because(err)
	case m == nil:
		return nil, proven(fault(c, exit))
	case m.Extractor == "youtube" && string(m.ID) != c.ExternalID:
		return nil, upstream("The platform's answer cannot be understood.").Because(errors.New("ytdlp: another content is described"))
	}
	m.content, m.exit = c, exit
	v, tracks := m.video(), m.tracks()
	why := m.withheld(len(tracks))
	switch {
	case why == nil:
		captioned(&v, tracks)
	case refusal.Gone.Names(why), refusal.Private.Names(why):
		return nil, nil //nolint:nilnil // the site says so
	case v.Title == nil || v.Channel == nil || !ofOne(why):
		return nil, proven(why)
	}
	return &v, nil
}

// proven is nil for an error by which the site says that a content is not to be had, by
// anybody or from here.
func proven(err error) error {
	switch {
	case !errors.Is(err, transcript.Unavailable):
		return err
	case errors.Is(err, engine.ErrNothingFound):
		return upstream("The platform's answer cannot be understood.").Because(err)
	}
	return nil
}

// ofOne reports whether an error is about one content alone, and not about the service or
// its way to the platform.
func ofOne(err error) bool {
	var e *transcript.Error
	return errors.As(err, &e) && (!hides(e.Code) || e.Code == transcript.Unavailable || e.Code == transcript.LoginRequired)
}

// video is what the program says of a video, without its captions.
func (m *media) video() video.Video {
	m.Title = m.FullTitle
	v := video.Video{
		Summary: m.summary(m.content.ExternalID), Description: m.description(), Tags: m.Tags, LikeCount: m.Likes.n,
		TrackMetadataStatus: transcript.TracksFailed, MetadataStatus: transcript.MetadataPartial,
	}
	if v.Title != nil && v.Channel != nil && v.DurationSec != nil {
		v.MetadataStatus = transcript.MetadataComplete
	}
	return v
}

// captioned adds the captions that there are, if any. Whether there are is open where all
// are forced.
func captioned(v *video.Video, tracks []track) {
	v.TrackMetadataStatus = transcript.TracksOK
	if len(tracks) == 0 {
		v.TrackMetadataStatus, v.CaptionAvailable = transcript.TracksEmpty, new(false)
	}
	for _, t := range tracks {
		v.Tracks = append(v.Tracks, t.Track)
		if t.Kind != transcript.TrackForced && !slices.Contains(v.Languages, t.Lang) {
			v.Languages, v.CaptionAvailable = append(v.Languages, t.Lang), new(true)
		}
	}
}
