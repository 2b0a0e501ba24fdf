// Package subject has the subject of a request, a content in some languages, and decides
// which stored text answers it.
package subject

import (
	"slices"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/language"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// DefaultLanguage is the language list for a platform with captions if the caller sends
// none.
const DefaultLanguage = "en"

// Direct reports whether a content belongs to a link of no platform. Such a content belongs to
// the account that has sent the link, like a file that the account uploads.
func Direct(c engine.Content) bool { return c.Platform == transcript.Upload && c.URL != "" }

// Subject is the subject of a piece of work: one content, in the languages of a list.
type Subject struct {
	// Owner is the account for an upload, for a direct link, and for a recording that the
	// account wants recognized in its own way; "" for shared work.
	Owner string
	engine.Content
	Languages transcript.LanguageList
	Prompt    string // the prompt with which an upload is recognized; "" for none
	Listening transcript.Listening
}

// Of is the subject of a request. Lists with the same meaning make the same subject.
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

// OnlyASR is the list that asks only for recognition in a language. It is empty for "",
// which means that the language is to be detected.
func OnlyASR(tag string) transcript.LanguageList {
	if tag == "" {
		return nil
	}
	return transcript.LanguageList{{Tag: tag, ASR: true}}
}

// OfWork returns the subject of stored work.
func OfWork(e *db.Work) Subject {
	s := Subject{Owner: e.Owner, Content: engine.Content{Platform: e.Platform, ExternalID: e.ExternalID, URL: e.SourceURL}, Prompt: e.Prompt, Listening: e.Listening}
	if e.Languages != "" {
		// Only canonical lists are stored, and they can always be read; for an unreadable one,
		// nothing is known.
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

// WantsCaptions reports whether the list does not begin with recognition.
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
