package transcript

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/language"
)

// MaxLanguageList is the longest language list, in characters (contract 1).
const MaxLanguageList = 200

// LanguageEntry is one entry of a priority list: a language tag, or "asr", or
// "asr-<tag>" (contract 1).
type LanguageEntry struct {
	// Tag is the language in canonical form (BCP 47); empty for a bare "asr".
	Tag string
	// ASR marks an entry that asks for speech recognition.
	ASR bool
}

// String returns the entry as it is written in a list.
func (e LanguageEntry) String() string {
	switch {
	case !e.ASR:
		return e.Tag
	case e.Tag == "":
		return "asr"
	}
	return "asr-" + e.Tag
}

// LanguageList is a caller's priority list without duplicates. The nil list
// means that the caller sent none.
type LanguageList []LanguageEntry

// ParseLanguageList reads a priority list (contract 1):
//
//	list  = entry *( "," entry )     ; spaces round commas are allowed
//	entry = tag / "asr" / "asr-" tag ; tag as in BCP 47, in any case
//
// A tag must be well-formed; it need not be registered. Entries after one for
// recognition are never reached, but they are no error. The error says which
// entry is wrong and why.
func ParseLanguageList(s string) (LanguageList, error) {
	if n := utf8.RuneCountInString(s); n == 0 || n > MaxLanguageList {
		return nil, fmt.Errorf("transcript: a language list has 1 to %d characters, not %d", MaxLanguageList, n)
	}
	var list LanguageList
	seen := map[string]bool{}
	for i, part := range strings.Split(s, ",") {
		entry, err := parseLanguageEntry(strings.Trim(part, " "))
		if err != nil {
			return nil, fmt.Errorf("transcript: entry %d of the language list: %w", i+1, err)
		}
		if !seen[entry.String()] {
			seen[entry.String()] = true
			list = append(list, entry)
		}
	}
	return list, nil
}

func parseLanguageEntry(s string) (LanguageEntry, error) {
	if strings.EqualFold(s, "asr") {
		return LanguageEntry{ASR: true}, nil
	}
	const prefix = "asr-"
	asr := len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
	if asr {
		s = s[len(prefix):]
	}
	if s == "" {
		return LanguageEntry{}, errors.New("it is empty")
	}
	tag, err := parseTag(s)
	return LanguageEntry{Tag: tag, ASR: asr}, err
}

// parseTag returns the canonical form of a well-formed tag.
func parseTag(s string) (string, error) {
	bad := fmt.Errorf("%q is not a language tag", s)
	if strings.Contains(s, "_") { // x/text takes it for a hyphen, BCP 47 does not
		return "", bad
	}
	// Without canonicalization, so that "iw" stays what the caller wrote.
	tag, err := language.Raw.Parse(s)
	var unknown language.ValueError // well-formed, but not registered
	if errors.As(err, &unknown) {
		return strings.ToLower(s), nil
	}
	if err != nil {
		return "", bad
	}
	return tag.String(), nil
}

// String returns the list in its canonical form: equal lists give equal
// strings. The nil list gives "".
func (l LanguageList) String() string {
	entries := make([]string, len(l))
	for i, e := range l {
		entries[i] = e.String()
	}
	return strings.Join(entries, ",")
}

// RecognizeAs is the language in which content without captions of its own (an
// upload, photo_site, microblog_site) is to be recognised: the tag of the first
// entry, whether or not it says "asr" (contract 1). Empty: to be detected.
func (l LanguageList) RecognizeAs() string {
	if len(l) == 0 {
		return ""
	}
	return l[0].Tag
}
