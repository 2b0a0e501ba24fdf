package player

import (
	"fmt"
	"net/url"

	"golang.org/x/text/language"

	"github.com/transcriptkit/transcriptkit/internal/clip"
)

// CheckAddress returns an error if the address of a track names another video than the one with
// that id, or another language than lang, the key of the track. Otherwise the text would be
// wrong.
func CheckAddress(address, id, lang string) error {
	u, err := url.Parse(address)
	if err != nil {
		return nil //nolint:nilerr // the request for the track finds that out
	}
	q := u.Query()
	if v := q.Get("v"); v != "" && v != id {
		return broken("The platform's captions are of another content.").Because(fmt.Errorf("player: a track of %s", clip.Line(v, 50)))
	}
	if l := q.Get("lang"); l != "" && differ(l, lang) {
		return broken("The platform's captions are in another language.").Because(fmt.Errorf("player: a track in %s", clip.Line(l, 50)))
	}
	return nil
}

// differ reports whether two keys name different languages. A key without a language differs
// from no other key, and regions and scripts do not count.
func differ(a, b string) bool {
	of := func(key string) (language.Base, bool) {
		base, confidence := language.Make(key).Base()
		return base, confidence >= language.High
	}
	one, known := of(a)
	other, too := of(b)
	return known && too && one != other
}
