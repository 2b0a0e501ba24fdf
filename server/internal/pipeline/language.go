package pipeline

import (
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// hasCaptions tells that what is submitted may have captions.
func (s Submission) hasCaptions() bool { return s.Upload == nil && s.Content.Platform.HasCaptions() }

// narrow is the caller's list. Where there never are captions it is cut to the first
// entry that the recognizer knows. A list of which it knows none stays: the cache may
// have an answer, and without one the request is refused.
func (p *Pipeline) narrow(s Submission) transcript.LanguageList {
	if s.hasCaptions() || p.engine.Recognizer == nil {
		return s.Languages
	}
	tag, ok := s.Languages.RecognizeAs(p.engine.Recognizer.Info().Languages)
	if !ok {
		return s.Languages
	}
	return onlyASR(tag)
}

// spokenLanguages are the languages in which the submission may be recognized.
func (s Submission) spokenLanguages(sub subject) transcript.LanguageList {
	if s.hasCaptions() {
		return onlyASR(sub.asrLanguage())
	}
	return s.Languages
}

// canTranscribe returns an error if this process cannot decode media, or recognize
// none of the languages.
func (p *Pipeline) canTranscribe(list transcript.LanguageList) error {
	if err := p.canRecognize(list); err != nil {
		return err
	}
	if p.engine.Media == nil {
		return transcript.Errorf(transcript.NotImplemented, "This service cannot read media files.")
	}
	return nil
}

// canRecognize returns an error if there is no recognizer, or it knows none of the
// languages.
func (p *Pipeline) canRecognize(list transcript.LanguageList) error {
	if p.engine.Recognizer == nil {
		return transcript.Errorf(transcript.NotImplemented, "This service has no speech recognizer.")
	}
	info := p.engine.Recognizer.Info()
	if _, ok := list.RecognizeAs(info.Languages); ok {
		return nil
	}
	tags := make([]string, len(list))
	for i, entry := range list {
		tags[i] = clip.Text(entry.Tag)
	}
	return transcript.Errorf(transcript.NotImplemented, "The recognizer %s does not know %s; details.known says what it knows.",
		info.Name, clip.Text(strings.Join(tags, ", "))).
		With("languages", tags).With("engine", info.Name).With("known", info.Languages)
}

// recognizerTag is a language as the recognizer calls it: its own tag where it has
// another code for the language, "ro" for "mo".
func (p *Pipeline) recognizerTag(tag string) string {
	primary, _, _ := strings.Cut(tag, "-")
	known := p.engine.Recognizer.Info().Languages
	if tag == "" || slices.ContainsFunc(known, func(have string) bool {
		first, _, _ := strings.Cut(have, "-")
		return strings.EqualFold(first, primary)
	}) {
		return tag
	}
	if n := slices.IndexFunc(known, func(have string) bool { return transcript.SameLanguage(have, tag) }); n >= 0 {
		return known[n]
	}
	return tag
}
