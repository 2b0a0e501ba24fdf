package site

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Direct parses a link to a media file, to the page of an episode, or to an item of a
// feed. The link to an item is the address of its feed, followed by "#" and the item's
// guid. The Match has the platform [transcript.Upload], the link in a normal form, with
// the fragment, and an id that depends only on this form. Direct opens no connection,
// so the link may lead to anything.
//
// The error has the code UNSUPPORTED_PLATFORM if the host belongs to a platform of the
// table: use [Table.Detect] for such links. It has the code INVALID_VIDEO if text is
// not an http or https link.
func (t *Table) Direct(text string) (Match, error) {
	l, ok := parseLink(text)
	if !ok || l.scheme == "" {
		return Match{}, transcript.Errorf(transcript.InvalidVideo, "This is not a web link: a web link begins with http:// or https://.")
	}
	if p, known := t.hosts[l.host]; known {
		return Match{}, transcript.Errorf(transcript.UnsupportedPlatform, "This host belongs to %s: send a link to one of its videos or posts.", p.name.Words())
	}
	link, ok := l.clean(l.scheme)
	if !ok {
		return Match{}, transcript.Errorf(transcript.InvalidVideo, "This is not a link that can be opened.")
	}
	if _, fragment, has := strings.Cut(text, "#"); has {
		u, err := url.Parse("#" + fragment)
		if err != nil {
			return Match{}, transcript.Errorf(transcript.InvalidVideo, "The part of the link after # cannot be read: write a %% as %%25.")
		}
		link += strings.TrimSuffix(u.String(), "#")
	}
	sum := sha256.Sum256([]byte(link))
	return Match{Platform: transcript.Upload, ExternalID: hex.EncodeToString(sum[:16]), URL: link}, nil
}
