package ffmpeg

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
)

// NormalizeArriving works like Normalize for a file that is still being uploaded, as
// [engine.ArrivingMedia] requires. It can read most containers from the start, but not
// a large MP4 with its index at the end. NormalizeArriving returns an error if ffmpeg
// complains about anything.
func (t *Tool) NormalizeArriving(ctx context.Context, in io.Reader, out string, max time.Duration) (engine.Audio, error) {
	if max <= 0 || max > longest {
		return engine.Audio{}, fmt.Errorf("ffmpeg: max is %v: want more than 0 and at most %v", max, longest)
	}
	return t.decode(ctx, input{
		stdin:  in,
		source: []string{"-protocol_whitelist", "pipe", "-format_whitelist", containers, "-i", "pipe:0"},
	}, out, max, nil)
}

// Verify compares the whole file at in with found, the length of the sound that
// NormalizeArriving has written. If the header of the file claims clearly more sound,
// up to max, the error is UPLOAD_INVALID.
func (t *Tool) Verify(ctx context.Context, in string, found, max time.Duration) error {
	in, size, err := regular(in)
	if err != nil {
		return err
	}
	claims, err := t.probe(ctx, in, size)
	if err != nil {
		return err
	}
	if !claims.HasAudio {
		return invalid("The file has no audio stream.")
	}
	return complete(found, min(claims.audioEnd, max))
}

// input is the file that ffmpeg decodes: one on the disk, or one that arrives.
type input struct {
	reads  []string
	stdin  io.Reader // nil: the file is on the disk
	source []string  // the arguments that open it
}

// wall is how long the decoding may take: as long as its work, or as long as the file arrives,
// which the caller bounds.
func (i input) wall(work time.Duration) time.Duration {
	if i.stdin != nil {
		return 24 * time.Hour
	}
	return work
}
