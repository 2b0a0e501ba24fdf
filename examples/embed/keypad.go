package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// keypad is the program's own recognizer: it hears the keys that a caller presses on a
// telephone. Each key is the sum of two tones, one for its row and one for its column.
type keypad struct{}

var (
	_ engine.Recognizer = keypad{}

	rows    = [4]float64{697, 770, 852, 941} // Hz
	columns = [4]float64{1209, 1336, 1477, 1633}
	keys    = [4]string{"123A", "456B", "789C", "*0#D"}
)

// block is the number of samples that are examined at once: 25 ms suffice to distinguish the
// tones and are shorter than any press.
const block = speech.SampleRate / 40

// Info describes the recognizer. Keys have no language, and "zxx" is the tag for that.
func (keypad) Info() engine.RecognizerInfo {
	return engine.RecognizerInfo{Name: "keypad", Model: "dtmf", Languages: []string{"zxx"}}
}

// Recognize recognizes a key if two consecutive blocks contain it.
func (k keypad) Recognize(ctx context.Context, audio engine.Audio, o engine.RecognizeOptions) (engine.Recognition, error) {
	if o.Language != "" && o.Language != "zxx" {
		return engine.Recognition{}, transcript.Errorf(transcript.NotImplemented, "Telephone keys have no language %s.", o.Language).
			With("language", o.Language).With("engine", k.Info().Name)
	}
	words, err := k.listen(ctx, audio, o.Progress)
	if err != nil {
		return engine.Recognition{}, err
	}
	return engine.Recognition{Segments: speech.Segments(words), Language: "zxx"}, nil
}

func (keypad) listen(ctx context.Context, audio engine.Audio, progress func(time.Duration)) ([]transcript.Word, error) {
	recording, err := speech.Open(audio.Path)
	if err != nil {
		return nil, transcript.Errorf(transcript.Internal, "The recording cannot be read.").Because(err)
	}
	defer recording.Close()
	pcm := bufio.NewReader(recording.PCM(0, recording.Samples()))

	var presses []transcript.Word
	var samples [block]int16
	var held byte // the key of the previous block; 0 means none
	for n := 0; ; n++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := binary.Read(pcm, binary.LittleEndian, &samples)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return presses, nil
		}
		if err != nil {
			return nil, transcript.Errorf(transcript.Internal, "The recording cannot be read.").Because(err)
		}
		key := keyIn(&samples)
		end := seconds(n + 1)
		switch last := len(presses) - 1; {
		case key == 0 || key != held: // silence, or the first block of a key
		case last >= 0 && presses[last].End == seconds(n):
			presses[last].End = end
		default:
			presses = append(presses, transcript.Word{Text: string(key), Start: seconds(n - 1), End: end})
		}
		held = key
		if progress != nil {
			progress(min(time.Duration(end*float64(time.Second)), audio.Duration))
		}
	}
}

// seconds returns the time at which a block begins.
func seconds(n int) float64 { return float64(n*block) / speech.SampleRate }

// keyIn returns the key that a block contains, or 0.
func keyIn(samples *[block]int16) byte {
	var energy float64
	for _, s := range samples {
		energy += float64(s) * float64(s)
	}
	row, rowPower := loudest(samples, &rows)
	column, columnPower := loudest(samples, &columns)
	// The power of a pure tone is half of the block's length times its energy.
	share := (rowPower + columnPower) / (energy * block / 2)
	if energy < block*100*100 || share < 0.7 || rowPower > 10*columnPower || columnPower > 10*rowPower {
		return 0
	}
	return keys[row][column]
}

// loudest returns the index and the power of the strongest tone in the block.
func loudest(samples *[block]int16, tones *[4]float64) (best int, power float64) {
	for i, hz := range tones {
		if p := goertzel(samples, hz); p > power {
			best, power = i, p
		}
	}
	return best, power
}

// goertzel returns the power of one frequency in the block.
func goertzel(samples *[block]int16, hz float64) float64 {
	c := 2 * math.Cos(2*math.Pi*hz/speech.SampleRate)
	var a, b float64
	for _, s := range samples {
		a, b = float64(s)+c*a-b, a
	}
	return a*a + b*b - c*a*b
}
