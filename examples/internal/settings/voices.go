package settings

import (
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/sherpa"
	"github.com/transcriptkit/transcriptkit/server/engine/voices"
)

// AddVoices adds a detector of voices and a diarizer to an engine, if the environment of the interpreter
// has their models. An environment that an older version has installed has none. If the file has
// settings of sherpa-onnx, the diarizer is sherpa-onnx.
func (r Recognizers) AddVoices(host engine.Host, python string, e *engine.Engine) error {
	if voices.Installed(python) {
		v, err := voices.New(host, voices.Options{Python: python})
		if err != nil {
			return err
		}
		e.Voices, e.Diarizer = v, v
	}
	if r.Sherpa == (sherpaMembers{}) {
		return nil
	}
	d, err := sherpa.New(host, r.Sherpa.options())
	if err != nil {
		return r.Wrong("sherpa", err)
	}
	e.Diarizer = d
	return nil
}
