package settings

import (
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/voices"
)

// AddVoices adds a detector of voices and a diarizer to an engine, if the environment of the interpreter
// has their models. An environment that an older version has installed has none.
func AddVoices(host engine.Host, python string, e *engine.Engine) error {
	if !voices.Installed(python) {
		return nil
	}
	v, err := voices.New(host, voices.Options{Python: python})
	if err != nil {
		return err
	}
	e.Voices, e.Diarizer = v, v
	return nil
}
