package ffmpeg

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// NormalizeArriving works like Normalize for a file that is still being uploaded, as
// [engine.ArrivingMedia] requires. It can read most containers from the start, but not
// a large MP4 with its index at the end. NormalizeArriving returns an error if ffmpeg
// complains about anything.
func (t *Tool) NormalizeArriving(ctx context.Context, in io.Reader, out string, max time.Duration) (_ engine.Audio, err error) {
	if max <= 0 || max > longest {
		return engine.Audio{}, fmt.Errorf("ffmpeg: max is %v: want more than 0 and at most %v", max, longest)
	}
	r, err := newRecorder(out, 0, max)
	if err != nil {
		return engine.Audio{}, err
	}
	defer func() {
		if err != nil {
			r.remove()
		}
	}()
	file := bufio.NewReaderSize(in, headSize)
	head, err := file.Peek(headSize)
	if err != nil && err != io.EOF { // a short file ends here, and ffmpeg judges it
		return engine.Audio{}, err
	}
	err = t.decode(ctx, input{
		stdin:  file,
		source: []string{"-protocol_whitelist", "pipe", "-format_whitelist", containers, "-i", "pipe:0"},
		clock:  clockAt(head),
	}, forSpeech, max, r)
	if err != nil {
		return engine.Audio{}, err
	}
	sound, err := r.end(transcript.MixChannels)
	return sound.Audio, err
}

// Verify compares the whole file at in with found, the length of the sound that
// NormalizeArriving has written, as [engine.ArrivingMedia] requires.
func (t *Tool) Verify(ctx context.Context, in string, found, max time.Duration) error {
	file, err := t.survey(ctx, in)
	if err != nil {
		return err
	}
	first := file.parts[0]
	switch tracks := file.tracks(); {
	case len(file.parts) > 1 || file.unread > 0:
		return invalid("The file holds more than one recording.")
	case len(tracks) > 1:
		return invalid("The file has %d audio tracks.", len(tracks))
	case clockOfHead(first) != clockOf(first.claims.Format):
		return invalid("The format of the file cannot be told from its first bytes.")
	case tracks[0].grows:
		return invalid("One channel of the sound becomes two on the way.")
	default:
		announced := min(tracks[0].end.duration(), max)
		if whole(found, announced) {
			return nil
		}
		return cutOff(transcript.CutOff{HeldSec: found.Seconds(), AnnouncedSec: announced.Seconds()})
	}
}
