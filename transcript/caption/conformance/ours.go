package main

import (
	"errors"
	"io"
	"math"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// reader is a reader of package caption.
type reader func(io.Reader, ...caption.Option) (caption.File, error)

// withoutOptions makes a reader of one that takes no options.
func withoutOptions(read func(io.Reader) (caption.File, error)) reader {
	return func(r io.Reader, _ ...caption.Option) (caption.File, error) { return read(r) }
}

// named returns the reader of a format by its name in the folder of the cases.
func named(format string) reader {
	switch format {
	case "podcast":
		return withoutOptions(caption.ReadPodcast)
	case "whisper":
		return withoutOptions(caption.ReadWhisper)
	case "sbv":
		return caption.ReadSBV
	case "ass":
		return caption.ReadASS
	case "webvtt":
		return withoutOptions(caption.ReadWebVTT)
	case "srt":
		return caption.ReadSRT
	case "ttml":
		return withoutOptions(caption.ReadTTML)
	case "srv1":
		return withoutOptions(caption.ReadSRV1)
	case "srv3":
		return withoutOptions(caption.ReadSRV3)
	case "json3":
		return withoutOptions(caption.ReadJSON3)
	}
	return caption.ReadAny
}

// ask returns the answer of a reader of package caption.
func ask(read reader, r io.Reader, language string) (a answer) {
	file, err := read(r, caption.Language(language))
	if !errors.As(err, &file.Lost) && err != nil {
		a.Error = problem(err.Error())
		return a
	}
	if file.Lost != nil {
		a.Lost = file.Lost.Cues
	}
	for _, s := range file.Segments {
		end := thousandths(s.Start + s.Duration)
		c := cue{Start: thousandths(s.Start), End: &end, Speaker: &s.Speaker, Text: s.Text}
		for _, w := range s.Words {
			c.Words = append(c.Words, word{thousandths(w.Start), thousandths(w.End), w.Text, thousandths(w.Confidence)})
		}
		a.Cues = append(a.Cues, c)
	}
	return a
}

// thousandths rounds to three digits, as the cases have them.
func thousandths(v float64) float64 { return math.Round(v*1000) / 1000 }
