package feed

import (
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// namespaces gives the elements of a namespace the prefix under which this package knows
// them. Documents write the addresses in many ways, so the keys are in lower case and
// have no slash at the end. The prefixes themselves are also keys, for documents that use
// a prefix without declaring it.
var namespaces = map[string]string{
	"":                            "",
	"http://www.w3.org/2005/atom": "", "atom": "",
	"http://purl.org/atom/ns#": "",
	"http://purl.org/rss/1.0":  "", "http://backend.userland.com/rss2": "",
	"http://my.netscape.com/rdf/simple/0.9":       "",
	"http://www.w3.org/1999/02/22-rdf-syntax-ns":  "rdf:",
	"http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf:",
	"http://purl.org/dc/elements/1.1":             "dc:",
	"http://purl.org/rss/1.0/modules/syndication": "sy:",
	"http://search.yahoo.com/mrss":                "media:",
	"http://www.itunes.com/dtds/podcast-1.0.dtd":  "itunes:",
	"https://podcastindex.org/namespace/1.0":      "podcast:",
	"http://podcastindex.org/namespace/1.0":       "podcast:",
	"rdf":                                         "rdf:", "dc": "dc:", "sy": "sy:", "media": "media:", "itunes": "itunes:", "podcast": "podcast:",
	"https://github.com/podcastindex-org/podcast-namespace/blob/main/docs/1.0.md": "podcast:",
}

// nameOf returns the name of an element in lower case, with the prefix of this package.
func nameOf(n xml.Name) string {
	prefix, known := namespaces[strings.ToLower(strings.TrimSuffix(n.Space, "/"))]
	if !known {
		prefix = "other:"
	}
	return prefix + strings.ToLower(n.Local)
}

// attribute returns the value of an attribute of any namespace.
func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if strings.EqualFold(a.Name.Local, name) {
			return strings.TrimSpace(a.Value)
		}
	}
	return ""
}

// newDecoder returns a decoder for text in UTF-8 that accepts common mistakes of
// publishers: names of HTML's characters, and an & that stands for itself.
func newDecoder(r io.Reader) *xml.Decoder {
	d := xml.NewDecoder(r)
	d.Strict = false
	d.Entity = xml.HTMLEntity
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // utf8Reader has decoded it
	return d
}

// token returns the next token. Its errors are ErrDocType, ErrNotFeed, and errors of the
// reader.
func token(d *xml.Decoder) (xml.Token, error) {
	t, err := d.Token()
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		return nil, fmt.Errorf("%w: line %d: %s", ErrNotFeed, syntax.Line, syntax.Msg)
	}
	if directive, ok := t.(xml.Directive); ok {
		return nil, fmt.Errorf("%w: %.40q", ErrDocType, directive)
	}
	return t, err
}

// xmlReader reads a feed in XML. It keeps the names of the elements that are open, and
// the text of one element at a time.
type xmlReader struct {
	feed   *Feed
	open   []string   // the names of the open elements
	bases  []*url.URL // for each of them, what its links are relative to
	item   *Item      // the element that is being read; nil means none
	itemAt int        // how many elements enclose the elements of the feed
	links  bool       // item.Link is the item's alternate link
	id     idOf
	textAt int // how many elements were open at the start of the text; 0 means that none is read
	text   strings.Builder
	update syndication
}

// idOf holds the id that an item gives itself.
type idOf struct {
	given, about string
	noLink       bool // the id is not an address
}

// syndication is how often a feed says that it changes: frequency times in a period.
type syndication struct {
	period    time.Duration
	frequency int
}

func parseXML(r io.Reader, base *url.URL) (*Feed, error) {
	d := newDecoder(r)
	x := &xmlReader{feed: &Feed{}}
	root := true
	for {
		t, err := token(d)
		if errors.Is(err, io.EOF) && !root {
			return x.end(), nil
		}
		if err != nil {
			return nil, err
		}
		switch t := t.(type) {
		case xml.StartElement:
			if root {
				if err := checkRoot(nameOf(t.Name)); err != nil {
					return nil, err
				}
				root = false
				x.bases = []*url.URL{base}
			}
			if len(x.open) == maxDepth {
				return nil, fmt.Errorf("%w: its elements are nested more than %d deep", ErrTooLarge, maxDepth)
			}
			x.start(t)
		case xml.EndElement:
			x.finish()
		case xml.CharData:
			if x.textAt > 0 && x.text.Len() < maxText {
				x.text.Write(t[:min(len(t), maxText)])
			}
		}
	}
}

func checkRoot(name string) error {
	switch name {
	case "rss", "rdf:rdf", "feed":
		return nil
	case "html", "other:html":
		return fmt.Errorf("%w: the document is a web page", ErrNotFeed)
	case "opml":
		return fmt.Errorf("%w: the document is a list of subscriptions", ErrNotFeed)
	}
	return fmt.Errorf("%w: the document begins with the element %q", ErrNotFeed, short(name))
}

// texts are the elements whose text is read.
var texts = map[string]bool{
	"title": true, "link": true, "guid": true, "id": true, "pubdate": true, "published": true, "updated": true,
	"issued": true, "modified": true, "dc:date": true, "dc:identifier": true, "itunes:duration": true, "ttl": true,
	"itunes:author": true, "dc:creator": true, "language": true, "dc:language": true,
	"hour": true, "day": true, "sy:updateperiod": true, "sy:updatefrequency": true,
}

func (x *xmlReader) start(e xml.StartElement) {
	name := nameOf(e.Name)
	base := x.bases[len(x.bases)-1]
	for _, a := range e.Attr {
		if a.Name.Local == "base" && a.Name.Space != "" {
			if inner := link(base, a.Value); inner != "" {
				base, _ = url.Parse(inner) // link has parsed it
			}
		}
	}
	x.open, x.bases = append(x.open, name), append(x.bases, base)
	switch {
	case x.item == nil && (name == "item" || name == "entry"):
		x.item, x.itemAt, x.links, x.id = &Item{}, len(x.open), false, idOf{about: attribute(e, "about")}
	case x.item != nil && (x.within(1) || strings.HasPrefix(name, "media:")):
		x.startInItem(name, e)
	}
	if x.textAt == 0 && texts[name] && (x.item == nil || x.within(1)) {
		x.textAt = len(x.open)
		x.text.Reset()
		if name == "guid" {
			x.id.noLink = strings.EqualFold(attribute(e, "isPermaLink"), "false")
		}
	}
}

// within reports whether the newest open element is the given number of elements inside
// the item.
func (x *xmlReader) within(depth int) bool { return len(x.open) == x.itemAt+depth }

// startInItem reads the attributes of an element of an item.
func (x *xmlReader) startInItem(name string, e xml.StartElement) {
	switch name {
	case "link":
		x.linkElement(e)
	case "enclosure", "media:content":
		x.recording(attribute(e, "url"), e, name)
	case "podcast:transcript":
		if at := x.link(attribute(e, "url")); at != "" && len(x.item.Transcripts) < maxLinks {
			x.item.Transcripts = append(x.item.Transcripts, Transcript{
				URL: at, Type: short(attribute(e, "type")), Language: short(attribute(e, "language")),
			})
		}
	case "podcast:chapters":
		x.item.Chapters = x.link(attribute(e, "url"))
	}
}

// linkElement reads Atom's link, which has its address in an attribute.
func (x *xmlReader) linkElement(e xml.StartElement) {
	href := attribute(e, "href")
	switch rel := attribute(e, "rel"); {
	case href == "":
	case rel == "enclosure":
		x.recording(href, e, rel)
	case (rel == "" || rel == "alternate") && !x.links:
		if x.item.Link = x.link(href); x.item.Link != "" {
			x.links = true
		}
	}
}

// recording keeps the first enclosure that is sound or video. A page may offer other
// files too, such as pictures.
func (x *xmlReader) recording(address string, e xml.StartElement, name string) {
	kind := short(attribute(e, "type"))
	found := Enclosure{URL: x.link(address), Type: kind}
	heard := Recorded(kind)
	if found.URL == "" || Recorded(x.item.Enclosure.Type) || !heard && (x.item.Enclosure.URL != "" || name == "media:content") {
		return
	}
	size := attribute(e, "length")
	if name == "media:content" {
		size = attribute(e, "fileSize")
	}
	if n, err := strconv.ParseInt(size, 10, 64); err == nil && n > 0 {
		found.Length = n
	}
	x.item.Enclosure = found
}

// Recorded reports whether a media type is sound or video.
func Recorded(mediaType string) bool {
	kind, _, _ := strings.Cut(strings.ToLower(mediaType), "/")
	return kind == "audio" || kind == "video"
}

// link resolves a link of the newest open element.
func (x *xmlReader) link(ref string) string {
	if len(ref) > maxText {
		return ""
	}
	return link(x.bases[len(x.bases)-1], ref)
}

// finish closes the newest open element.
func (x *xmlReader) finish() {
	name := x.open[len(x.open)-1]
	if x.textAt == len(x.open) {
		text := short(x.text.String())
		if x.item != nil {
			x.textInItem(name, text)
		} else {
			x.textInFeed(name, text)
		}
		x.textAt = 0
	}
	if x.item != nil && x.within(0) {
		x.endItem()
	}
	x.open, x.bases = x.open[:len(x.open)-1], x.bases[:len(x.bases)-1]
}

func (x *xmlReader) textInItem(name, text string) {
	switch name {
	case "title":
		x.item.Title = html.UnescapeString(text)
	case "guid", "id":
		x.id.given = text
	case "dc:identifier":
		x.id.about = text
	case "link":
		if !x.links && text != "" {
			x.item.Link = x.link(text)
		}
	case "pubdate", "published", "issued", "dc:date":
		x.item.Published = dateOf(text)
	case "updated", "modified":
		if x.item.Published.IsZero() {
			x.item.Published = dateOf(text)
		}
	case "itunes:author", "dc:creator":
		x.item.Author = html.UnescapeString(text)
	case "itunes:duration":
		x.item.Duration = durationOf(text)
	}
}

// textInFeed reads the text of an element that is directly in the feed: in rss/channel,
// in RDF/channel or in feed.
func (x *xmlReader) textInFeed(name, text string) {
	parent := ""
	if len(x.open) > 1 {
		parent = x.open[len(x.open)-2]
	}
	if parent == "channel" || parent == "feed" {
		x.ofFeed(name, text)
		return
	}
	if hour, err := strconv.Atoi(text); name == "hour" && parent == "skiphours" && err == nil && 0 <= hour && hour <= 24 && len(x.feed.SkipHours) < 24 {
		x.feed.SkipHours = append(x.feed.SkipHours, hour%24)
	}
	if day, ok := weekdays[strings.ToLower(text)]; name == "day" && parent == "skipdays" && ok && len(x.feed.SkipDays) < 7 {
		x.feed.SkipDays = append(x.feed.SkipDays, day)
	}
}

func (x *xmlReader) ofFeed(name, text string) {
	switch name {
	case "title":
		x.feed.Title = html.UnescapeString(text)
	case "link":
		if x.feed.Link == "" && text != "" {
			x.feed.Link = x.link(text)
		}
	case "itunes:author", "dc:creator":
		x.feed.Author = html.UnescapeString(text)
	case "language", "dc:language":
		x.feed.Language = text
	case "ttl":
		if minutes, err := strconv.Atoi(text); err == nil && minutes > 0 {
			x.feed.TTL = time.Duration(min(minutes, 60*24*365)) * time.Minute
		}
	case "sy:updateperiod":
		x.update.period = periods[strings.ToLower(text)]
	case "sy:updatefrequency":
		x.update.frequency, _ = strconv.Atoi(text) // if it is not a number, 0 means the period itself
	}
}

func (x *xmlReader) endItem() {
	item := *x.item
	x.item = nil
	item.GUID = x.id.given
	if item.GUID == "" {
		item.GUID = x.id.about
	}
	if item.Link == "" && !x.id.noLink && strings.HasPrefix(item.GUID, "http") {
		item.Link = x.link(item.GUID)
	}
	x.feed.add(item)
}

func (x *xmlReader) end() *Feed {
	if x.feed.TTL == 0 {
		x.feed.TTL = x.update.period / time.Duration(max(1, x.update.frequency))
	}
	return x.feed
}
