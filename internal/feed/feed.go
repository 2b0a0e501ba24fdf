// Package feed reads feeds, and lists of feeds.
//
// [Parse] reads RSS 0.9x, 1.0 and 2.0, Atom 1.0 and JSON Feed, with the elements of
// podcasts. [ReadOPML] and [ReadCSV] read lists of subscriptions. The package opens no
// link: the caller fetches the document and passes its body.
//
// A document comes from strangers. Parse keeps at most [MaxItems] items with at most
// 4,096 bytes for each text, reads at most [MaxBytes], and refuses documents that
// declare a document type, because such a declaration can define entities.
package feed

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"
)

// The limits of a document.
const (
	MaxBytes = 64 << 20 // of a feed or a list of subscriptions
	MaxItems = 10_000   // of a feed, and subscriptions of a list
	maxDepth = 64       // elements inside each other
	maxText  = 4 << 10  // bytes of one text; the rest of a longer text is left out
	maxLinks = 16       // transcripts of one item
)

// Errors of Parse, ReadOPML and ReadCSV. The errors that these functions return wrap one
// of them, or an error of the reader.
var (
	ErrNotFeed  = errors.New("not a feed")                // another document, or a feed that is cut off or broken
	ErrTooLarge = errors.New("the document is too large") // more than MaxBytes, or nested too deep
	ErrDocType  = errors.New("the document declares a document type")
)

// Feed is what a feed says about itself, with its items in the order of the document.
type Feed struct {
	Title    string
	Link     string // the page of the channel; "" if the feed names none
	Author   string // "" if the feed names none
	Language string // of its items, as the feed gives it; "" if the feed does not say
	Items    []Item
	// More says that the feed has more than MaxItems items. The first MaxItems are kept.
	More bool
	// TTL is how long a reader should use a copy before it asks again. 0 means that the feed
	// does not say.
	TTL time.Duration
	// SkipHours and SkipDays are the hours, 0 to 23 in UTC, and the days at which the
	// publisher wants no requests.
	SkipHours []int
	SkipDays  []time.Weekday
}

// Item is one entry of a feed.
type Item struct {
	// GUID identifies the item within its feed. It is the id in the feed. An item without
	// an id has its link as GUID, and an item without a link has the address of its
	// enclosure. A GUID is never empty. Parse keeps the first of several items with the
	// same GUID.
	GUID      string
	Link      string // the page of the item; "" if the feed names none
	Title     string
	Author    string    // "" if the item names none
	Published time.Time // zero if the feed gives no readable date
	Enclosure Enclosure // its first recording; the zero value if it has none
	// Transcripts are the texts of the recording that the publisher offers.
	Transcripts []Transcript
	Duration    time.Duration // of the recording; 0 if the feed does not say
	Chapters    string        // the address of its chapters as JSON; "" if it has none
}

// Enclosure is a recording that belongs to an item.
type Enclosure struct {
	URL    string
	Type   string // its media type, as the feed gives it
	Length int64  // bytes; 0 if the feed does not say
}

// Transcript is a text that belongs to an item.
type Transcript struct {
	URL      string
	Type     string // its media type, as the feed gives it
	Language string // "" if the feed does not say
}

// Parse reads a feed. Links in the feed may be relative: base is the address that the
// document was read from, after redirects. contentType is the header of the answer and
// may be empty; Parse takes the charset from it if the document names none.
//
// Links that are not http or https are left out, and so are items that have neither an
// id, nor a link, nor an enclosure.
func Parse(r io.Reader, base *url.URL, contentType string) (*Feed, error) {
	text := bufio.NewReader(utf8Reader(&bounded{r: r, left: MaxBytes}, contentType))
	var f *Feed
	err := skipSpace(text)
	if err == nil {
		var first []byte
		first, err = text.Peek(1)
		switch {
		case err != nil:
		case first[0] == '{':
			f, err = parseJSON(text, base)
		default:
			f, err = parseXML(text, base)
		}
	}
	if err != nil {
		return nil, unreadable(err)
	}
	f.Items = named(f.Items)
	return f, nil
}

// unreadable is the error for a document that cannot be read as a feed.
func unreadable(err error) error {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: the document is empty or cut off", ErrNotFeed)
	case errors.Is(err, ErrNotFeed), errors.Is(err, ErrTooLarge), errors.Is(err, ErrDocType):
		return err
	}
	return fmt.Errorf("reading the feed: %w", err)
}

// named returns the items with their GUIDs, each GUID once.
func named(items []Item) []Item {
	seen := make(map[string]bool, len(items))
	return slices.DeleteFunc(items, func(i Item) bool {
		again := seen[i.GUID]
		seen[i.GUID] = true
		return again
	})
}

// add adds an item that has an identity, unless there are MaxItems.
func (f *Feed) add(i Item) {
	switch {
	case i.GUID != "":
	case i.Link != "":
		i.GUID = i.Link
	default:
		i.GUID = i.Enclosure.URL
	}
	if i.GUID == "" {
		return
	}
	if len(f.Items) == MaxItems {
		f.More = true
		return
	}
	f.Items = append(f.Items, i)
}

// link resolves a link of a document. It returns "" for links that are not http or https.
func link(base *url.URL, ref string) string {
	u, err := url.Parse(strings.TrimSpace(ref))
	if err != nil || ref == "" {
		return ""
	}
	if base != nil {
		u = base.ResolveReference(u)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return ""
	}
	return u.String()
}

// short returns a text without the white space around it, and at most maxText bytes of it.
func short(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	return text
}
