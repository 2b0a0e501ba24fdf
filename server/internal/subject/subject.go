// Package subject is what a request asks for, a content in some languages, and which
// stored text answers it.
package subject

import (
	"slices"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/language"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// DefaultLanguage is what a caller who sends no list wants of a platform with
// captions.
const DefaultLanguage = "en"

// Direct reports whether a content is what a link of no platform leads to. Such a content belongs
// to the account that has sent the link, like a file that the account uploads.
func Direct(c engine.Content) bool { return c.Platform == transcript.Upload && c.URL != "" }

// Subject is what a piece of work is of: one content, in the languages of a list.
type Subject struct {
	// Owner is the account for an upload, a direct link, and what the account wants heard
	// in its own way; "" for what all may share.
	Owner string
	engine.Content
	Languages transcript.LanguageList
	Prompt    string // that an upload is recognized with; "" for none
	Listening transcript.Listening
}

// Of is the subject of a request. Lists that mean the same make the same
// subject.
func Of(c engine.Content, list transcript.LanguageList) Subject {
	switch {
	case Direct(c): // without a list, every transcript of the publisher answers
	case !language.HasCaptions(c.Platform):
		tag, _ := language.RecognizeAs(list, nil)
		list = OnlyASR(tag)
	case len(list) == 0:
		list = transcript.LanguageList{{Tag: DefaultLanguage}}
	}
	return Subject{Content: c, Languages: list}
}

// OnlyASR is the list that asks for recognition in a language and nothing else; it
// is empty for "", a language that is to be found out.
func OnlyASR(tag string) transcript.LanguageList {
	if tag == "" {
		return nil
	}
	return transcript.LanguageList{{Tag: tag, ASR: true}}
}

// OfWork is what stored work is of.
func OfWork(e *db.Work) Subject {
	s := Subject{Owner: e.Owner, Content: engine.Content{Platform: e.Platform, ExternalID: e.ExternalID, URL: e.SourceURL}, Prompt: e.Prompt, Listening: e.Listening}
	if e.Languages != "" {
		// Only canonical lists are stored, which always can be read; of one that
		// cannot, nothing is known.
		s.Languages, _ = transcript.ParseLanguageList(e.Languages)
	}
	return s
}

// ASRLanguage is the language to recognize; "" means that the recognizer finds it out. On
// a platform with captions only an entry with asr names one.
func (s Subject) ASRLanguage() string {
	entry, _ := language.ASR(s.Languages) // for content without captions, the list has only this entry
	return entry.Tag
}

// WantsCaptions tells that the list does not begin with recognition.
func (s Subject) WantsCaptions() bool {
	if Direct(s.Content) {
		return len(s.Languages) == 0 || !s.Languages[0].ASR
	}
	return language.HasCaptions(s.Platform) && len(language.Captions(s.Languages)) > 0
}

// Pick chooses the track that the first possible entry of the list takes. For a direct link
// without a list it chooses the first track.
func (s Subject) Pick(tracks []transcript.Track) (n int, ok bool) {
	if Direct(s.Content) && len(s.Languages) == 0 {
		return 0, len(tracks) > 0
	}
	for _, tag := range language.Captions(s.Languages) {
		if n, ok := language.MatchTrack(tag, tracks); ok {
			return n, true
		}
	}
	return 0, false
}

// LanguagesOf are the distinct tags of the tracks that can be served, in order.
func LanguagesOf(tracks []transcript.Track) []string {
	tags := []string{}
	for _, t := range tracks {
		if t.Kind != transcript.TrackForced && !slices.Contains(tags, t.Lang) {
			tags = append(tags, t.Lang)
		}
	}
	return tags
}

// AnyCaptions reports whether the tracks of a content have captions. It returns nil if
// there are only forced captions, because these leave speech out.
func AnyCaptions(tracks []transcript.Track) *bool {
	switch {
	case len(tracks) == 0:
		return new(false)
	case len(LanguagesOf(tracks)) == 0:
		return nil
	}
	return new(true)
}

// Asked is the caller's list of languages for a message.
func (s Subject) Asked() string { return clip.Text(s.Languages.String()) }
