package pocketsphinx

import (
	"io"
	"sync/atomic"
	"time"

	"github.com/transcriptkit/transcriptkit/server/speech"
)

// feed is the program's input. Progress is the audio that the program has read, because the
// program reads audio as fast as it recognizes it. Its output does not help: it stays silent
// while a person speaks without a pause. The pipe holds two seconds more.
type feed struct {
	pcm      io.Reader // signed 16 bit, little endian
	total    int64     // samples
	progress func(time.Duration)
	bytes    atomic.Int64
}

// Read passes the next samples to the program.
func (f *feed) Read(b []byte) (int, error) {
	f.report(f.taken()) // a reader that asks for more has used the previous part
	n, err := f.pcm.Read(b)
	f.bytes.Add(int64(n))
	return n, err
}

func (f *feed) report(done time.Duration) {
	if f.progress != nil {
		f.progress(done)
	}
}

func (f *feed) fed() int64              { return f.bytes.Load() / 2 }
func (f *feed) finished() bool          { return f.fed() == f.total }
func (f *feed) taken() time.Duration    { return duration(f.fed()) }
func (f *feed) duration() time.Duration { return duration(f.total) }
func duration(samples int64) time.Duration {
	return time.Duration(samples) * (time.Second / speech.SampleRate)
}

// zeros is endless silence.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
