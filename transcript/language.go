package transcript

// LanguageEntry is one entry of a priority list: a language tag, or "asr", or
// "asr-<tag>" (contract 1).
type LanguageEntry struct {
	// Tag is the language, in canonical case; empty for a bare "asr".
	Tag string
	// ASR marks an entry that asks for recognition.
	ASR bool
}

// LanguageList is a caller's priority list, duplicates dropped.
type LanguageList []LanguageEntry
