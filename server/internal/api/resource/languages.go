package resource

import (
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// DefaultLanguage is the default of the language list on platforms with captions. On other
// platforms the recognizer detects the language.
const DefaultLanguage = "en"

// LanguageField is the field of a list of languages.
func LanguageField(list *transcript.LanguageList) *request.Field {
	return request.New("language", list, request.Languages()).
		About("Languages in the order of preference, separated by commas. \"asr\" stands for speech recognition.")
}
