package ffmpeg

import (
	"context"
	"errors"
	"fmt"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// surveyed is a file whose parts are known. Each part is a recording of its own; nearly all
// files have one.
type surveyed struct {
	parts  []*part // at least one
	unread int64   // the bytes that belong to no part
}

// part is one recording in a file.
type part struct {
	path   string
	from   int64
	size   int64
	all    bool // the part is the whole file
	claims claims
}

// survey finds the recordings in a file. The error is that of the first part if none can be
// read.
func (t *Tool) survey(ctx context.Context, path string) (*surveyed, error) {
	path, size, err := regular(path)
	if err != nil {
		return nil, err
	}
	spans, unread := spansOf(path, size)
	s := &surveyed{unread: unread}
	var first error
	for _, at := range spans {
		p := &part{path: path, from: at.from, size: at.size, all: at.size == size}
		p.claims, err = t.probe(ctx, p)
		var refused *transcript.Error
		switch {
		case err == nil && p.claims.HasAudio:
			s.parts = append(s.parts, p)
			continue
		case err == nil:
			err = invalid("The file has no audio stream.")
		case !errors.As(err, &refused) || refused.Code != transcript.UploadInvalid:
			return nil, err
		}
		s.unread += p.size
		if first == nil {
			first = err
		}
	}
	if len(s.parts) == 0 {
		return nil, first
	}
	return s, nil
}

// tracks are the audio tracks of the file: those of its first part.
func (s *surveyed) tracks() []track { return s.parts[0].claims.tracks }

// source returns the arguments that open the part and nothing else. The scheme "file:" before
// an absolute path makes ffmpeg read the rest as a path, for all characters.
func (p *part) source() []string {
	if p.all {
		return source(p.path)
	}
	return []string{
		"-protocol_whitelist", "subfile,file", "-format_whitelist", containers,
		"-i", fmt.Sprintf("subfile,,start,%d,end,%d,,:file:%s", p.from, p.from+p.size, p.path),
	}
}

// input returns what decodes a track of the part, and the track. A part with fewer tracks than
// the first one has its best track decoded.
func (p *part) input(number int) (input, track) {
	if number >= len(p.claims.tracks) {
		number = best(p.claims.tracks)
	}
	t := p.claims.tracks[number]
	return input{
		reads: []string{p.path}, source: p.source(), track: number, clock: clockOf(p.claims.Format), stereo: t.grows,
	}, t
}
