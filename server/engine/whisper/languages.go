package whisper

import "github.com/transcriptkit/transcriptkit/transcript"

// unknownLanguage refuses a language.
func unknownLanguage(engine, tag string) *transcript.Error {
	return transcript.Errorf(transcript.NotImplemented, "%s does not recognize the language %q.", engine, tag).
		With("language", tag).With("engine", engine)
}
