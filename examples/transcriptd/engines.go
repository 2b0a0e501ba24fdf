package main

import (
	"log/slog"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ffmpeg"
	"github.com/transcriptkit/transcriptkit/server/engine/pocketsphinx"
)

// The values of --asr.
const (
	asrPocketsphinx = "pocketsphinx"
	asrNone         = "none"
)

// engines wires the adapters together and says in the log who will recognise.
func engines(asr string, log *slog.Logger) func(engine.Host) (engine.Engine, error) {
	return func(host engine.Host) (engine.Engine, error) {
		e := engine.Engine{Media: ffmpeg.New(host)}
		if asr == asrNone {
			log.Info("no recognizer", "asr", asr)
			return e, nil
		}
		e.Recognizer = pocketsphinx.New(host)
		info := e.Recognizer.Info()
		log.Info("recognizer", "asr", asr, "model", info.Model, "quality", info.Quality)
		return e, nil
	}
}
