package main

import (
	"context"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ffmpeg"
	"github.com/transcriptkit/transcriptkit/server/engine/pocketsphinx"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp"
)

// The values of --asr.
const (
	asrPocketsphinx = "pocketsphinx"
	asrNone         = "none"
)

// engines wires the adapters together and says in the log who reads links and
// who will recognize.
func engines(ctx context.Context, o serviceOptions) func(engine.Host) (engine.Engine, error) {
	return func(host engine.Host) (engine.Engine, error) {
		links, err := ytdlp.New(host, ytdlp.Options{Program: o.ytdlp})
		if err != nil {
			return engine.Engine{}, err
		}
		if err := links.Check(ctx); err != nil {
			o.log.Warn("links cannot be read", "program", o.ytdlp, "error", err)
		}
		e := engine.Engine{
			Captions: []engine.CaptionSource{links},
			Audio:    links,
			Media:    ffmpeg.New(host),
		}
		if o.asr == asrNone {
			o.log.Info("no recognizer", "asr", o.asr)
			return e, nil
		}
		e.Recognizer = pocketsphinx.New(host)
		info := e.Recognizer.Info()
		o.log.Info("recognizer", "asr", o.asr, "model", info.Model, "quality", info.Quality)
		return e, nil
	}
}
