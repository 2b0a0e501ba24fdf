package service

import (
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/voices"
)

// addVoices adds the detector of voices and the diarizer, if the environment of faster-whisper has
// their models. An environment that an older version has installed has none.
func (f RecognizersFlag) addVoices(host engine.Host, e *engine.Engine) error {
	if !f.hasFasterWhisper() || !voices.Installed(f.fasterWhisper()) {
		return nil
	}
	v, err := voices.New(host, voices.Options{Python: f.fasterWhisper()})
	if err != nil {
		return err
	}
	e.Voices, e.Diarizer = v, v
	return nil
}

// tellVoices logs that speakers are not told apart, and the reason.
func (s Setup) tellVoices(e engine.Engine) {
	switch {
	case e.Diarizer != nil:
		s.Log.Info("speakers are told apart", "by", e.Diarizer.Info().Name, "model", e.Diarizer.Info().Model)
	case s.Speech.hasFasterWhisper():
		s.Log.Info("speakers are not told apart: the environment of faster-whisper has no models of voices, run make setup in the checkout", "python", s.Speech.fasterWhisper())
	}
}
