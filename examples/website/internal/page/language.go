package page

import (
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// languageName returns the name of a language, such as "German" or "Portuguese (Brazil)". A tag
// without a name is returned as it is.
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
