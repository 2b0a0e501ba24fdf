package intake

import (
	"slices"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/language"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// hasCaptions reports whether the submitted content may have captions.
func (a allowed) hasCaptions() bool {
	return a.file == nil && language.HasCaptions(a.Content.Platform)
}

// direct reports whether a link of no platform is submitted.
func (a allowed) direct() bool { return a.file == nil && subject.Direct(a.Content) }

// narrow returns the caller's list. For content without captions, narrow cuts the list
// to the first entry that a recognizer knows. If no recognizer knows any entry, the
// list stays: the cache may have an answer, and without one the request is refused.
func (a allowed) narrow() transcript.LanguageList {
	if a.hasCaptions() {
		return a.Languages
	}
	if a.direct() {
		return a.withRecognition()
	}
	tag, ok := a.team.Recognizes(a.Languages)
	if !ok {
		return a.Languages
	}
	return subject.OnlyASR(tag)
}

// withRecognition returns the list of a direct link up to its first entry with asr. A list without
// such an entry gets one, in the first language that a recognizer knows: the caller has said in
// which languages the recording may be. If no recognizer knows any language, the list gets its
// first language, and the request fails only if the publisher has no transcript.
func (a allowed) withRecognition() transcript.LanguageList {
	if n := slices.IndexFunc(a.Languages, func(e transcript.LanguageEntry) bool { return e.ASR }); n >= 0 {
		return a.Languages[:n+1]
	}
	if len(a.Languages) == 0 {
		return nil
	}
	tag, ok := a.team.Recognizes(a.Languages)
	if !ok {
		tag = a.Languages[0].Tag
	}
	return append(slices.Clone(a.Languages), subject.OnlyASR(tag)...)
}

// spokenLanguages returns the languages in which the submission may be recognized.
func (o order) spokenLanguages() transcript.LanguageList {
	if o.hasCaptions() || o.direct() {
		return subject.OnlyASR(o.sub.ASRLanguage())
	}
	return o.languages
}

// subject is the content that the submission asks for, and how. A file is recognized with
// the prompt.
func (a allowed) subject(prompt string) subject.Subject {
	sub := a.contentSubject(prompt)
	sub.Listening = a.listening()
	if sub.Listening != (transcript.Listening{}) {
		sub.Owner = a.Account
	}
	return sub
}

// listening is how the service listens to the sound of the submission.
func (a allowed) listening() transcript.Listening {
	l := a.Listening
	if l.Channels == transcript.MixChannels {
		l.Channels = ""
	}
	return l
}

func (a allowed) contentSubject(prompt string) subject.Subject {
	if a.file != nil {
		sub := subject.Of(engine.Content{Platform: transcript.Upload, ExternalID: a.file.ExternalID()}, a.languages)
		sub.Owner, sub.Prompt = a.Account, prompt
		return sub
	}
	sub := subject.Of(a.Content, a.languages)
	if a.direct() {
		sub.Owner = a.Account
	}
	return sub
}
