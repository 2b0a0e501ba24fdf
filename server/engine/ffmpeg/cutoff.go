package ffmpeg

import (
	"errors"
	"time"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// deficit is what a file lacks.
type deficit struct {
	held   time.Duration
	cutOff *transcript.CutOff // nil: the file is whole
	unread int64              // the bytes of parts that could not be decoded
	first  error              // why the first of them could not
}

// failed reports whether err says that a part cannot be decoded, and counts its bytes.
func (d *deficit) failed(err error, p *part) bool {
	var refused *transcript.Error
	if !errors.As(err, &refused) || refused.Code != transcript.UploadInvalid {
		return false
	}
	d.unread += p.size
	if d.first == nil {
		d.first = err
	}
	return true
}

// reason is why nothing could be decoded.
func (d *deficit) reason() error {
	if d.first == nil {
		return invalid("The file has no sound that can be decoded.")
	}
	return d.first
}

// add takes the sound of a part, and how much the part announces; 0: it does not tell.
func (d *deficit) add(held, announced time.Duration) {
	d.held += held
	if whole(held, announced) {
		if d.cutOff != nil {
			d.cutOff.HeldSec += held.Seconds()
			d.cutOff.AnnouncedSec += held.Seconds()
		}
		return
	}
	if d.cutOff == nil {
		before := (d.held - held).Seconds()
		d.cutOff = &transcript.CutOff{HeldSec: before, AnnouncedSec: before}
	}
	d.cutOff.HeldSec += held.Seconds()
	d.cutOff.AnnouncedSec += announced.Seconds()
}

// whole reports whether a file holds about as much sound as it announces. An announced length
// of 0 means that the file announces none.
func whole(held, announced time.Duration) bool {
	return held >= announced-announced/50-500*time.Millisecond
}

// cutOff refuses a file that holds clearly less sound than it announces.
func cutOff(c transcript.CutOff) error { return invalid("%s", c) }
