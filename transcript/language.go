package transcript

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/language"

	"github.com/transcriptkit/transcriptkit/internal/clip"
)

// maxLanguageList is the longest language list, in characters.
const maxLanguageList = 200

// asr is the word that asks for recognition.
const asr = "asr"

// LanguageEntry is an entry of a priority list: a language tag, "asr" or "asr-<tag>".
// See docs/guides/languages.md.
type LanguageEntry struct {
	// Tag is the language tag in the case that RFC 5646 recommends ("zh-Hant-TW");
	// empty for "asr" without a tag.
	Tag string
	// ASR reports whether the entry requests speech recognition.
	ASR bool
}

// String returns the entry in the form that it has in a list.
func (e LanguageEntry) String() string {
	switch {
	case !e.ASR:
		return e.Tag
	case e.Tag == "":
		return asr
	}
	return asr + "-" + e.Tag
}

// LanguageList is a caller's priority list, without duplicates. The zero value means
// that the caller sent no list.
type LanguageList []LanguageEntry

// ParseLanguageList parses a comma-separated priority list of 1 to 200 characters: BCP
// 47 tags, "asr" and "asr-<tag>". A tag must be well formed, but need not be a known
// language. The error is a text such as "entry 2 is empty", without a code. The service
// answers it with 422 INVALID_REQUEST.
func ParseLanguageList(s string) (LanguageList, error) {
	if n := utf8.RuneCountInString(s); n < 1 || n > maxLanguageList {
		return nil, fmt.Errorf("must have 1 to %d characters, not %d", maxLanguageList, n)
	}
	var list LanguageList
	for i, text := range strings.Split(s, ",") {
		entry, err := parseLanguageEntry(strings.Trim(text, " "))
		if err != nil {
			return nil, fmt.Errorf("entry %d %w", i+1, err)
		}
		if !slices.Contains(list, entry) {
			list = append(list, entry)
		}
	}
	return list, nil
}

func parseLanguageEntry(s string) (LanguageEntry, error) {
	if s == "" {
		return LanguageEntry{}, errors.New("is empty")
	}
	if strings.EqualFold(s, asr) {
		return LanguageEntry{ASR: true}, nil
	}
	tag, isASR := s, false
	if len(s) > len(asr) && strings.EqualFold(s[:len(asr)+1], asr+"-") {
		tag, isASR = s[len(asr)+1:], true
	}
	if !wellFormed(tag) {
		return LanguageEntry{}, fmt.Errorf("(%q) is neither a language tag nor asr nor asr-<tag>", clip.Text(s))
	}
	return LanguageEntry{Tag: canonicalCase(tag), ASR: isASR}, nil
}

// wellFormed checks the syntax of BCP 47. The parser also accepts the underscores of
// locale names, which BCP 47 does not permit.
func wellFormed(tag string) bool {
	if strings.Contains(tag, "_") {
		return false
	}
	_, err := language.Raw.Parse(tag)
	var unknown language.ValueError
	return err == nil || errors.As(err, &unknown)
}

// canonicalCase writes a tag as RFC 5646, 2.1.1 recommends: lower case, but regions in
// upper and scripts in title case. It changes the text directly, because the parser drops
// subtags that it does not know.
func canonicalCase(tag string) string {
	subtags := strings.Split(strings.ToLower(tag), "-")
	for i, s := range subtags {
		if i == 0 {
			continue
		}
		if len(subtags[i-1]) == 1 || len(subtags[0]) == 1 {
			break // extensions and private use stay in lower case
		}
		switch len(s) {
		case 2:
			subtags[i] = strings.ToUpper(s)
		case 4:
			subtags[i] = strings.ToUpper(s[:1]) + s[1:]
		}
	}
	return strings.Join(subtags, "-")
}

// String returns the list in its canonical form, which [ParseLanguageList] can parse:
// equal lists have equal strings. It is "" for the zero value.
func (l LanguageList) String() string {
	entries := make([]string, len(l))
	for i, e := range l {
		entries[i] = e.String()
	}
	return strings.Join(entries, ",")
}
