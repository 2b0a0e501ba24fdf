package intake

import (
	"slices"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/language"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// hasCaptions tells that what is submitted may have captions.
func (s Submission) hasCaptions() bool {
	return s.Upload == nil && language.HasCaptions(s.Content.Platform)
}

// direct tells that a link of no platform is submitted.
func (s Submission) direct() bool { return s.Upload == nil && subject.Direct(s.Content) }

// narrow returns the caller's list. For content without captions, narrow cuts the list
// to the first entry that a recognizer knows. If no recognizer knows any entry, the
// list stays: the cache may have an answer, and without one the request is refused.
func (s Submission) narrow() transcript.LanguageList {
	if s.hasCaptions() {
		return s.Languages
	}
	if s.direct() {
		return s.withRecognition()
	}
	tag, ok := s.team.Recognizes(s.Languages)
	if !ok {
		return s.Languages
	}
	return subject.OnlyASR(tag)
}

// withRecognition returns the list of a direct link up to its first entry with asr. A list without
// such an entry gets one, in the first language that a recognizer knows: the caller has said in
// which languages the recording may be. If no recognizer knows any, the first language stands, and
// the request fails only if there is no transcript of the publisher.
func (s Submission) withRecognition() transcript.LanguageList {
	if n := slices.IndexFunc(s.Languages, func(e transcript.LanguageEntry) bool { return e.ASR }); n >= 0 {
		return s.Languages[:n+1]
	}
	if len(s.Languages) == 0 {
		return nil
	}
	tag, ok := s.team.Recognizes(s.Languages)
	if !ok {
		tag = s.Languages[0].Tag
	}
	return append(slices.Clone(s.Languages), subject.OnlyASR(tag)...)
}

// spokenLanguages are the languages in which the submission may be recognized.
func (s Submission) spokenLanguages(sub subject.Subject) transcript.LanguageList {
	if s.hasCaptions() || s.direct() {
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
	sub := subject.Of(s.Content, s.Languages)
	if s.direct() {
		sub.Owner = s.Account
	}
	return sub
}
