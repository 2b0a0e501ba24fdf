package page

import (
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// languageName is a language for people, as in "German" or "Portuguese (Brazil)"; a tag
// that has no name stays as it is.
func languageName(tag string) string {
	parsed, err := language.Parse(tag)
	if err != nil {
		return tag
	}
	if name := display.English.Tags().Name(parsed); name != "" {
		return name
	}
	return tag
}
