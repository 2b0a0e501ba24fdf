package service

import "github.com/transcriptkit/transcriptkit/server/engine"

// tellVoices logs the engine that tells speakers apart. If an environment of faster-whisper is there
// without a diarizer, an older version has installed the environment.
func (s Setup) tellVoices(e engine.Engine) {
	switch {
	case e.Diarizer != nil:
		info := e.Diarizer.Info()
		s.Log.Info("speakers are told apart", "by", info.Name, "model", info.Model)
	case s.Speech.hasFasterWhisper():
		s.Log.Info("speakers are not told apart", "why", "the environment of faster-whisper has no models of voices: run make setup in the checkout", "python", s.Speech.fasterWhisper())
	}
}
