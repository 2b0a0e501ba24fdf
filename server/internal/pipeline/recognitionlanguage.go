package pipeline

import (
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/language"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// hasCaptions tells that what is submitted may have captions.
func (s Submission) hasCaptions() bool {
	return s.Upload == nil && language.HasCaptions(s.Content.Platform)
}

// narrow returns the caller's list. For content without captions, narrow cuts the list
// to the first entry that a recognizer knows. If no recognizer knows any entry, the
// list stays: the cache may have an answer, and without one the request is refused.
func (s Submission) narrow() transcript.LanguageList {
	if s.hasCaptions() {
		return s.Languages
	}
	tag, ok := s.team.Recognizes(s.Languages)
	if !ok {
		return s.Languages
	}
	return subject.OnlyASR(tag)
}

// spokenLanguages are the languages in which the submission may be recognized.
func (s Submission) spokenLanguages(sub subject.Subject) transcript.LanguageList {
	if s.hasCaptions() {
		return subject.OnlyASR(sub.ASRLanguage())
	}
	return s.Languages
}

// subject is what the submission asks for.
func (s Submission) subject() subject.Subject {
	if s.Upload != nil {
		sub := subject.Of(engine.Content{Platform: transcript.Upload, ExternalID: s.Upload.ExternalID()}, s.Languages)
		sub.Owner, sub.Prompt = s.Account, s.prompt
		return sub
	}
	return subject.Of(s.Content, s.Languages)
}
