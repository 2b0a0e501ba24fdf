package web

import (
	"net/http"
	"slices"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// languages are the languages of the pages: each has a file in strings. The first one is for
// visitors who ask for none of them.
var languages = []language.Tag{language.English, language.German}

// languageCookie holds the language that a visitor has chosen.
const languageCookie = "language"

// languageOf returns the index of the language that the visitor has chosen, or that the browser
// prefers.
func (s *Site) languageOf(r *http.Request) int {
	if chosen, err := r.Cookie(languageCookie); err == nil {
		if n := indexOf(chosen.Value); n >= 0 {
			return n
		}
	}
	wanted, _, _ := language.ParseAcceptLanguage(r.Header.Get("Accept-Language")) // an unreadable header prefers nothing
	_, n, _ := s.matcher.Match(wanted...)
	return n
}

func indexOf(tag string) int {
	return slices.IndexFunc(languages, func(of language.Tag) bool { return of.String() == tag })
}

// chooseLanguage remembers the chosen language in the browser, and returns to the page.
func (s *Site) chooseLanguage(r *Request) error {
	chosen := r.PostFormValue("language")
	if indexOf(chosen) < 0 {
		return Nothing(r)
	}
	s.Visitors.Remember(r.W, languageCookie, chosen)
	return r.Redirect(ownPath(r.PostFormValue("next")))
}

// tongue is a language to choose.
type tongue struct{ Tag, Name string }

// otherLanguages returns the languages of the pages other than the present one. Each has its
// own name.
func (c *Catalog) otherLanguages() (all []tongue) {
	for _, tag := range languages {
		if tag != c.tag {
			all = append(all, tongue{tag.String(), display.Self.Name(tag)})
		}
	}
	return all
}

// language returns the name of a language, such as "German" or "Portuguese (Brazil)". A tag
// without a name is returned as it is.
func (c *Catalog) language(tag string) string {
	parsed, err := language.Parse(tag)
	if err != nil {
		return tag
	}
	if name := c.names.Name(parsed); name != "" {
		return name
	}
	return tag
}

// tongues returns the languages of the list, sorted by name. A visitor can type any other
// language.
func (c *Catalog) tongues() []tongue {
	var all []tongue
	for _, tag := range []string{
		"ar", "bn", "cs", "de", "el", "en", "es", "fa", "fr", "he", "hi", "id", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "uk", "vi", "zh-Hans", "zh-Hant",
	} {
		all = append(all, tongue{tag, c.language(tag)})
	}
	slices.SortFunc(all, func(a, b tongue) int { return strings.Compare(a.Name, b.Name) })
	return all
}
