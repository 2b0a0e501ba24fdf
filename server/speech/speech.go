// Package speech helps to write an [engine.Recognizer]: it reads recordings, and makes segments
// from words.
//
//	rec, err := speech.Open(audio.Path)
//	if err != nil {
//		return engine.Recognition{}, err
//	}
//	defer rec.Close()
//	words := hear(rec.PCM(0, rec.Samples()))
//	return engine.Recognition{Segments: speech.Segments(words)}, nil
package speech

import (
	"fmt"
	"math"
)

// SampleRate is the number of samples in a second of every recording that a recognizer gets.
const SampleRate = 16000

// bytesPerSample is the size of a 16-bit sample of one channel.
const bytesPerSample = 2

// VoiceName returns the name of the i-th voice that a recognizer is given, from 0. A
// recognizer that recognizes the voice returns the name as the speaker of the segment.
func VoiceName(i int) string { return fmt.Sprintf("voice_%d", i+1) }

// millis rounds a number to three decimals.
func millis(seconds float64) float64 { return math.Round(seconds*1000) / 1000 }
