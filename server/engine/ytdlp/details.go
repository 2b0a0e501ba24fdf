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

// A run that describes several videos has these limits for each video, in addition to the
// limits of the run: bytes of pages, and time.
const (
	maxPage  = 8 << 20
	pageTime = 10 * time.Second
)

// Videos describes videos as engine.Discovery says, all in one run of the program, one
// after another. The run ends at the first video that could not be read. A video whose
// captions are withheld is described without them. A second run checks the videos without
// tracks, as Captions does. If it proves nothing, CaptionAvailable is nil.
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
	exit, err := d.program.run(within, run{
		content:    engine.Content{ExternalID: strings.Join(ids, ",")},
		args:       args,
		command:    engine.Command{Stdout: said, Stderr: said}, // the same writer, so that each complaint comes before the description of its video
		videos:     len(contents),
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

// descriptions reads the program's output for several contents: for each content in order,
// first its complaints and then a line of JSON. The line is null if the program found nothing.
type descriptions struct {
	of   []engine.Content
	stop func(error) // ends the program

	found      []video.Video
	read       int    // how many contents have had their line
	err        error  // why the program was ended
	line       []byte // the beginning of a line whose end has not arrived
	since      []byte // complaints since the last description
	complaints []byte // all of them, up to maxComplaintBytes
}

// maxComplaintBytes limits the kept complaints of a run.
const maxComplaintBytes = 1 << 20

// Write fails if there is too much output, and after the program was told to end.
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

// describe reads the description of a video, or returns nil if the site says that the video
// does not exist.
func describe(c engine.Content, line []byte, exit engine.Exit) (*video.Video, error) {
	m, err := parseMedia(line, c.ExternalID)
	switch {
	case err != nil: // several contents, or an unknown form
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

// proven returns nil for an error in which the site itself says that the content is not
// available, to all or to this server.
func proven(err error) error {
	switch {
	case !errors.Is(err, transcript.Unavailable):
		return err
	case errors.Is(err, engine.ErrNothingFound):
		return upstream("The platform's answer cannot be understood.").Because(err)
	}
	return nil
}

// ofOne reports whether an error concerns one content alone, not the service or its connection
// to the platform.
func ofOne(err error) bool {
	var e *transcript.Error
	return errors.As(err, &e) && (!hides(e.Code) || e.Code == transcript.Unavailable || e.Code == transcript.LoginRequired)
}

// video returns the program's description of a video, without captions.
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

// captioned adds the existing captions. If all tracks are forced tracks, it is not decided
// whether there are captions.
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
