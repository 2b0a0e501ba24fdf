package pipeline

import (
	"slices"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// defaultLanguage is what a caller who sends no list wants of a platform with
// captions.
const defaultLanguage = "en"

// subject is what an extraction is of: one content, in the languages of a list.
type subject struct {
	owner string // the account for an upload, "" for what all may share
	engine.Content
	languages transcript.LanguageList
	prompt    string // that an upload is recognized with; "" for none
}

func (s Submission) subject() subject {
	if s.Upload != nil {
		sub := subjectOf(engine.Content{Platform: transcript.Upload, ExternalID: s.Upload.ExternalID()}, s.Languages)
		sub.owner, sub.prompt = s.Account, s.prompt
		return sub
	}
	return subjectOf(s.Content, s.Languages)
}

// subjectOf is the subject of a request. Lists that mean the same make the same
// subject.
func subjectOf(c engine.Content, list transcript.LanguageList) subject {
	switch {
	case !c.Platform.HasCaptions():
		tag, _ := list.RecognizeAs(nil)
		list = onlyASR(tag)
	case len(list) == 0:
		list = transcript.LanguageList{{Tag: defaultLanguage}}
	}
	return subject{Content: c, languages: list}
}

// onlyASR is the list that asks for recognition in a language and nothing else; it
// is empty for "", a language that is to be found out.
func onlyASR(tag string) transcript.LanguageList {
	if tag == "" {
		return nil
	}
	return transcript.LanguageList{{Tag: tag, ASR: true}}
}

// subjectOfExtraction is what a stored extraction is of.
func subjectOfExtraction(e *db.Extraction) subject {
	s := subject{owner: e.Owner, Content: engine.Content{Platform: e.Platform, ExternalID: e.ExternalID, URL: e.SourceURL}, prompt: e.Prompt}
	if e.Languages != "" {
		// Only canonical lists are stored, which always can be read; of one that
		// cannot, nothing is known.
		s.languages, _ = transcript.ParseLanguageList(e.Languages)
	}
	return s
}

// asrLanguage is the language to recognize; "": the recognizer finds it out. On a
// platform with captions only an entry with asr names one.
func (s subject) asrLanguage() string {
	entry, _ := s.languages.ASR() // which is all there is where there are no captions
	return entry.Tag
}

// wantsCaptions tells that the list does not begin with recognition.
func (s subject) wantsCaptions() bool {
	return s.Platform.HasCaptions() && len(s.languages.Captions()) > 0
}

// pick chooses the track that the first possible entry of the list takes.
func (s subject) pick(tracks []transcript.Track) (n int, ok bool) {
	for _, tag := range s.languages.Captions() {
		if n, ok := transcript.MatchTrack(tag, tracks); ok {
			return n, true
		}
	}
	return 0, false
}

// languagesOf are the distinct tags of the tracks that can be served, in order.
func languagesOf(tracks []transcript.Track) []string {
	tags := []string{}
	for _, t := range tracks {
		if t.Kind != transcript.TrackForced && !slices.Contains(tags, t.Lang) {
			tags = append(tags, t.Lang)
		}
	}
	return tags
}

// anyOf tells whether there are captions among all the tracks of a content: nil where
// there are forced ones alone, in which not all is written that is said.
func anyOf(tracks []transcript.Track) *bool {
	switch {
	case len(tracks) == 0:
		return no()
	case len(languagesOf(tracks)) == 0:
		return nil
	}
	return yes()
}
