package ffmpeg

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// mostSeparate is how many channels a recording may have to be separated. The channels of a
// recording with more are mixed.
const mostSeparate = 8

// recorder is the sink that writes the normalized recording: the mix of all channels and, if
// wanted, each channel. Several recordings can follow each other.
type recorder struct {
	path     string
	layout   string // of the next recording
	most     int64  // samples
	progress func(time.Duration)
	reported time.Duration

	mix      *os.File
	channels []*os.File // the files of the channels, if they may be separated
	mixer    *mixer
	voices   *voices
	loudest  float64

	rest    []byte // less than a window
	out     []byte
	written int64 // samples
}

// newRecorder makes the files of a recorder: the mix at path, and next to it a file for each
// of so many channels. The caller calls remove or end.
func newRecorder(path string, channels int, max time.Duration) (*recorder, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("ffmpeg: %w", err)
	}
	r := &recorder{path: path, most: samplesOf(max), voices: &voices{}}
	if r.mix, err = newWAV(path); err != nil {
		r.remove()
		return nil, err
	}
	for c := range channels {
		f, err := newWAV(channelPath(path, c))
		if err != nil {
			r.remove()
			return nil, err
		}
		r.channels = append(r.channels, f)
	}
	return r, nil
}

func samplesOf(d time.Duration) int64 {
	return int64(d/time.Second)*sampleRate + int64(d%time.Second)*sampleRate/int64(time.Second)
}

func channelPath(path string, c int) string {
	return path + "." + strconv.Itoa(c+1) + ".wav"
}

// newWAV creates a WAV, private to the server, with a header that announces no length.
func newWAV(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("ffmpeg: %w", err)
	}
	if _, err := f.Write(normalHeader(1<<32 - 1)); err != nil {
		return nil, errors.Join(fmt.Errorf("ffmpeg: %w", err), f.Close(), os.Remove(path))
	}
	return f, nil
}

// begin starts a recording behind those that have been written.
func (r *recorder) begin(channels int) error {
	if err := r.flush(); err != nil {
		return err
	}
	r.mixer = newMixer(channels, r.layout)
	r.mixer.voices = r.voices
	return nil
}

// take writes all whole windows.
func (r *recorder) take(frames []byte) error {
	size := window * 2 * r.mixer.channels
	if len(r.rest) > 0 {
		need := min(size-len(r.rest), len(frames))
		r.rest = append(r.rest, frames[:need]...)
		frames = frames[need:]
		if len(r.rest) < size {
			return nil
		}
		if err := r.windows(r.rest, size); err != nil {
			return err
		}
		r.rest = r.rest[:0]
	}
	whole := len(frames) - len(frames)%size
	r.rest = append(r.rest, frames[whole:]...)
	return r.windows(frames[:whole], size)
}

// flush writes the rest of a recording, which is shorter than a window.
func (r *recorder) flush() error {
	if r.mixer == nil {
		return nil
	}
	rest := r.rest
	r.rest = r.rest[:0]
	err := r.windows(rest, max(1, len(rest)))
	r.loudest = max(r.loudest, r.mixer.loudest)
	r.mixer = nil
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// rewind drops all that was written behind a length, and what has not been written.
func (r *recorder) rewind(to time.Duration) error {
	r.mixer, r.rest = nil, r.rest[:0]
	r.written = samplesOf(to)
	for _, f := range append([]*os.File{r.mix}, r.channels...) {
		size := int64(len(normalHeader(0))) + 2*r.written
		_, err := f.Seek(size, io.SeekStart)
		if err := errors.Join(err, f.Truncate(size)); err != nil {
			return fmt.Errorf("ffmpeg: %w", err)
		}
	}
	return nil
}

// windows writes windows of size bytes, up to the bound.
func (r *recorder) windows(frames []byte, size int) error {
	frame := 2 * r.mixer.channels
	left := (r.most - r.written) * int64(frame)
	frames = frames[:min(int64(len(frames)), left)]
	r.out = r.out[:0]
	for at := 0; at < len(frames); at += size {
		r.out = r.mixer.mix(r.out, frames[at:min(at+size, len(frames))])
	}
	if _, err := r.mix.Write(r.out); err != nil {
		return fmt.Errorf("ffmpeg: %w", err)
	}
	if err := r.separate(frames); err != nil {
		return err
	}
	r.written += int64(len(frames) / frame)
	r.report()
	if r.written >= r.most {
		return errEnough
	}
	return nil
}

// separate writes each channel to its file. One channel goes to all files.
func (r *recorder) separate(frames []byte) error {
	n := r.mixer.channels
	for c, f := range r.channels {
		r.out = r.out[:0]
		for at := 0; at < len(frames); at += 2 * n {
			switch {
			case n == 1:
				r.out = append(r.out, frames[at:at+2]...)
			case c < n:
				r.out = append(r.out, frames[at+2*c:at+2*c+2]...)
			default:
				r.out = append(r.out, 0, 0)
			}
		}
		if _, err := f.Write(r.out); err != nil {
			return fmt.Errorf("ffmpeg: %w", err)
		}
	}
	return nil
}

// report tells the progress, after each second of sound.
func (r *recorder) report() {
	done := r.duration()
	if r.progress != nil && done >= r.reported+time.Second {
		r.reported = done
		r.progress(done)
	}
}

// duration is the length of what has been written.
func (r *recorder) duration() time.Duration {
	return time.Duration(r.written/sampleRate)*time.Second + time.Duration(r.written%sampleRate)*time.Second/sampleRate
}

// silent reports whether nothing can be heard in what has been written.
func (r *recorder) silent() bool { return r.loudest < silentPower }

// end finishes the files. It keeps the files of the channels if how says so.
func (r *recorder) end(how transcript.Channels) (sound engine.Sound, err error) {
	defer func() {
		if err != nil {
			r.remove()
			sound = engine.Sound{}
		}
	}()
	if err := r.flush(); err != nil {
		return engine.Sound{}, err
	}
	if done := r.duration(); r.progress != nil && done > r.reported {
		r.reported = done
		r.progress(done)
	}
	sound.Audio = engine.Audio{Path: r.path, Duration: r.duration()}
	if err := finishWAV(r.mix, r.written); err != nil {
		return engine.Sound{}, err
	}
	separate := how == transcript.SeparateChannels || how == transcript.AutoChannels && r.voices.two()
	for c, f := range r.channels {
		if !separate {
			break
		}
		if err := finishWAV(f, r.written); err != nil {
			return engine.Sound{}, err
		}
		sound.Channels = append(sound.Channels, engine.Audio{Path: channelPath(r.path, c), Duration: r.duration()})
	}
	if !separate {
		r.removeChannels()
	}
	return sound, nil
}

// remove closes and removes all files.
func (r *recorder) remove() {
	if r.mix != nil {
		_ = r.mix.Close() // perhaps closed already, and the file goes
	}
	_ = os.Remove(r.path) // the caller's scratch file: a failure to remove it must not hide an error
	r.removeChannels()
}

func (r *recorder) removeChannels() {
	for c, f := range r.channels {
		_ = f.Close()                         // as in remove
		_ = os.Remove(channelPath(r.path, c)) // as in remove
	}
	r.channels = nil
}

// finishWAV writes the length into the header of a WAV, and closes it.
func finishWAV(f *os.File, samples int64) error {
	_, err := f.WriteAt(normalHeader(2*samples), 0)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("ffmpeg: %w", err)
	}
	return nil
}

// normalHeader returns the header of a WAV of 16 kHz, mono, 16 bit, with so many bytes of
// samples. The largest number stands for an unknown length.
func normalHeader(bytes int64) []byte {
	all := uint32(1<<32 - 1)
	if bytes+36 < int64(all) {
		all = uint32(bytes + 36)
	}
	le := binary.LittleEndian
	h := append(make([]byte, 0, 44), "RIFF"...)
	h = append(le.AppendUint32(h, all), "WAVEfmt "...)
	h = le.AppendUint16(le.AppendUint16(le.AppendUint32(h, 16), 1), 1)
	h = le.AppendUint32(le.AppendUint32(h, sampleRate), bytesPerSecond)
	h = le.AppendUint16(le.AppendUint16(h, 2), 16)
	return le.AppendUint32(append(h, "data"...), uint32(min(bytes, 1<<32-1)))
}
