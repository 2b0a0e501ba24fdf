package follower

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/feed"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// found is an item that a check finds.
type found struct {
	guid      string // a hash
	content   engine.Content
	link      string
	title     string
	published time.Time
}

// foundInFeed is an item of a feed. An item on a platform is identified by its content,
// so that a feed and a list agree about it. Any other item is identified by its GUID.
func (lk *looker) foundInFeed(address string, i feed.Item) found {
	f := found{link: cmp.Or(i.Link, i.Enclosure.URL), title: sqldb.Text(i.Title), published: i.Published}
	if match, err := lk.Sites.Detect(i.Link); err == nil && !match.Short {
		f.content = contentOf(match)
	} else if lk.DirectMedia && i.Enclosure.URL != "" {
		f.content = lk.recording(address, i)
	}
	if p := f.content.Platform; p != "" && p != transcript.Upload {
		f.guid = sum("content", string(p), f.content.ExternalID)
	} else {
		f.guid = sum("guid", i.GUID)
	}
	return f
}

// recording is the content of a feed item with a recording: the address of the feed with
// the GUID, so that the publisher's transcript is found, or otherwise the recording.
func (lk *looker) recording(address string, i feed.Item) engine.Content {
	at, err := url.Parse(address)
	if err == nil {
		at.Fragment = i.GUID
		if match, err := lk.Sites.Direct(at.String()); err == nil {
			return contentOf(match)
		}
	}
	match, err := lk.Sites.Direct(i.Enclosure.URL)
	if err != nil {
		return engine.Content{}
	}
	return contentOf(match)
}

// foundInList is an entry of a playlist or a channel.
func (lk *looker) foundInList(platform transcript.Platform, e engine.ListEntry) found {
	match, err := lk.Sites.Content(platform, e.ID)
	if err != nil {
		match, err = lk.Sites.Detect(e.URL)
	}
	if err != nil || match.Short {
		return found{guid: sum("entry", e.ID, e.URL), link: e.URL}
	}
	c := contentOf(match)
	return found{guid: sum("content", string(c.Platform), c.ExternalID), content: c, link: c.URL}
}

func contentOf(m site.Match) engine.Content {
	return engine.Content{Platform: m.Platform, ExternalID: m.ExternalID, URL: m.URL}
}

// listOf is the list of a source, for an engine.
func listOf(s *source) engine.List {
	return engine.List{Platform: s.Platform, Kind: engine.ListKind(s.Kind), ID: s.ListID, URL: s.URL}
}

// sum is the identity of an item within its source.
func sum(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// oldestFirst sorts items by time. The items are in the order of the document: newest
// first, or oldest first as in a playlist. Dates decide if all items have one.
func oldestFirst(items []found, newestFirst bool) {
	if newestFirst {
		slices.Reverse(items)
	}
	if slices.ContainsFunc(items, func(f found) bool { return f.published.IsZero() }) {
		return
	}
	slices.SortStableFunc(items, func(a, b found) int { return a.published.Compare(b.published) })
}
