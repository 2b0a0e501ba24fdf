package ffmpeg

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// longest is the longest recording that a WAV of 16 kHz, mono, 16 bit can hold.
const longest = 37 * time.Hour

// mostTries and mostTried bound the search for a track that is not silent: how many tracks
// are decoded, and how much sound.
const (
	mostTries = 64
	mostTried = 24 * time.Hour
)

// Normalize decodes a recording to the WAV out, as [engine.MediaTool] requires. It replaces
// out, and removes out on every error. The files of separated channels are out with ".1.wav",
// ".2.wav" and so on behind it; a recording with more than 8 channels is not separated. The
// error is UPLOAD_INVALID if there is no audio track, if no track has the wanted number, or if
// nothing can be decoded.
//
// A file is cut off if it holds clearly less sound than it announces: a difference of half a
// second plus 2 % is allowed. The header of an MP3 alone is no announcement. A track that
// cannot be decoded gives way to the next one, like a silent track, unless the caller named
// it.
func (t *Tool) Normalize(ctx context.Context, in, out string, o engine.NormalizeOptions) (engine.Sound, error) {
	if o.Max <= 0 || o.Max > longest {
		return engine.Sound{}, fmt.Errorf("ffmpeg: max is %v: want more than 0 and at most %v", o.Max, longest)
	}
	file, err := t.survey(ctx, in)
	if err != nil {
		return engine.Sound{}, err
	}
	numbers, err := order(file.tracks(), o)
	if err != nil {
		return engine.Sound{}, err
	}
	n := &normalization{tool: t, file: file, out: out, o: o}
	return n.first(ctx, numbers)
}

// normalization is one call of Normalize.
type normalization struct {
	tool  *Tool
	file  *surveyed
	out   string
	o     engine.NormalizeOptions
	tried time.Duration // the sound that has been decoded
	said  time.Duration // the progress that has been reported
}

// first decodes the first track that is not silent and that can be decoded. If there is none,
// it is the first one that can be decoded.
func (n *normalization) first(ctx context.Context, numbers []int) (engine.Sound, error) {
	silent, failure := -1, error(nil)
	for i, number := range numbers {
		last := i == len(numbers)-1 || i == mostTries || n.tried >= mostTried
		sound, quiet, err := n.track(ctx, number)
		var refused *transcript.Error
		switch {
		case err != nil && (!errors.As(err, &refused) || refused.Code != transcript.UploadInvalid):
			return engine.Sound{}, err
		case err != nil:
			if failure == nil {
				failure = err
			}
		case !quiet, silent < 0 && last:
			return sound, nil
		case silent < 0:
			silent = number
		}
		if last {
			break
		}
	}
	if silent < 0 {
		return engine.Sound{}, failure
	}
	sound, _, err := n.track(ctx, silent)
	return sound, err
}

// track decodes one track of all parts of the file. It reports whether the track is silent.
func (n *normalization) track(ctx context.Context, number int) (_ engine.Sound, silent bool, err error) {
	r, err := newRecorder(n.out, n.separable(number), n.o.Max)
	if err != nil {
		return engine.Sound{}, false, err
	}
	defer func() {
		if err != nil {
			r.remove()
		}
	}()
	r.reported, r.progress = n.said, n.o.Progress
	var d deficit
	for _, p := range n.file.parts {
		if r.written >= r.most {
			break
		}
		before := r.duration()
		in, described := p.input(number)
		r.layout = described.layout
		err := n.part(ctx, in, r)
		if d.failed(err, p) {
			err = r.rewind(before)
			if err == nil {
				continue
			}
		}
		if err != nil {
			return engine.Sound{}, false, err
		}
		d.add(r.duration()-before, min(described.end.duration(), n.o.Max-before))
	}
	n.tried += r.duration()
	defer func() { n.said = r.reported }()
	if r.written == 0 {
		return engine.Sound{}, false, d.reason()
	}
	if n.o.Whole && d.cutOff != nil {
		return engine.Sound{}, false, cutOff(*d.cutOff)
	}
	silent = r.silent()
	sound, err := r.end(n.o.Channels)
	if err != nil {
		return engine.Sound{}, false, err
	}
	sound.Tracks, sound.CutOff, sound.Unread = described(n.file.tracks(), number), d.cutOff, n.file.unread+d.unread
	return sound, silent, nil
}

// part decodes one part.
func (n *normalization) part(ctx context.Context, in input, r *recorder) error {
	if err := n.tool.decode(ctx, in, forSpeech, n.o.Max-r.duration(), r); err != nil {
		return err
	}
	return r.flush()
}

// separable returns how many channels may be separated: none if they are only mixed.
func (n *normalization) separable(number int) int {
	most := 0
	for _, p := range n.file.parts {
		_, described := p.input(number)
		most = max(most, described.channels)
	}
	switch {
	case n.o.Channels == transcript.SeparateChannels && most > 1 && most <= mostSeparate,
		n.o.Channels == transcript.AutoChannels && most == 2:
		return most
	}
	return 0
}
