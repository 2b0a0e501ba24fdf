// Package language matches the language lists of requests with caption tracks and with the
// languages of a recognizer. See docs/guides/languages.md.
package language

import (
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// HasCaptions reports whether content on a platform may have caption tracks; all other content
// can only be recognized.
func HasCaptions(p transcript.Platform) bool {
	return p == transcript.VideoSite || p == transcript.ShortVideoSite || p == transcript.ProfessionalSite
}

// RecognizeAs returns the language in which to recognize content that never has
// captions: uploads, photo_site and microblog_site. The language is the tag of the
// first entry of l, with asr or without, that the recognizer knows. known has the
// recognizer's languages; nil means any language. If tag is "", the recognizer detects
// the language: for a bare asr, and for an empty list. ok is false if the recognizer
// knows no entry of the list.
//
// Do not use RecognizeAs for content with captions, because then only an asr-<tag> entry
// names the language of the recognizer.
func RecognizeAs(l transcript.LanguageList, known []string) (tag string, ok bool) {
	for _, e := range l {
		if e.Tag == "" || known == nil || slices.ContainsFunc(known, func(have string) bool { return Same(have, e.Tag) }) {
			return e.Tag, true
		}
	}
	return "", len(l) == 0
}

// Captions returns the tags of a list to look for among the caption tracks, in order: the tags
// before the first asr entry. It is empty for a list that starts with asr, and for the empty
// list.
func Captions(l transcript.LanguageList) []string {
	tags := make([]string, 0, len(l))
	for _, e := range l {
		if e.ASR {
			break
		}
		tags = append(tags, e.Tag)
	}
	return tags
}

// ASR returns the first entry of a list that asks for recognition. ok is false if no entry
// does: recognition is then implied at the end of the list.
func ASR(l transcript.LanguageList) (entry transcript.LanguageEntry, ok bool) {
	n := slices.IndexFunc(l, func(e transcript.LanguageEntry) bool { return e.ASR })
	if n < 0 {
		return transcript.LanguageEntry{}, false
	}
	return l[n], true
}

// Same reports whether two tags have the same primary language, however it is written: no
// and nb, iw and he, cmn and zh-TW. Tags of unknown languages are compared as they are
// written, up to the first hyphen.
func Same(a, b string) bool {
	first, _, _ := strings.Cut(a, "-")
	second, _, _ := strings.Cut(b, "-")
	if strings.EqualFold(first, second) {
		return true // the common case needs no parsing
	}
	one, other := parseLocale(a), parseLocale(b)
	return one.known && other.known && one.base == other.base
}
