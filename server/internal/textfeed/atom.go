package textfeed

import (
	"cmp"
	"encoding/xml"
	"net/url"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
)

// MediaType is the type of a feed.
const MediaType = "application/atom+xml; charset=utf-8"

// Every feed has the title and the author: Atom requires both, and a feed does not name its
// owner.
const (
	feedTitle  = "New transcripts"
	feedAuthor = "transcriptkit"
)

type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	ID      string      `xml:"id"`
	Title   string      `xml:"title"`
	Updated string      `xml:"updated"`
	Author  atomPerson  `xml:"author"`
	Entries []atomEntry `xml:"entry"`
}

type atomPerson struct {
	Name string `xml:"name"`
}

type atomEntry struct {
	ID        string      `xml:"id"`
	Title     string      `xml:"title"`
	Updated   string      `xml:"updated"`
	Published string      `xml:"published"`
	Author    *atomPerson `xml:"author"`
	Link      *atomLink   `xml:"link"`
	Summary   *atomText   `xml:"summary"`
	Content   *atomText   `xml:"content"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Href string `xml:"href,attr"`
}

type atomText struct {
	Lang string `xml:"http://www.w3.org/XML/1998/namespace lang,attr,omitempty"`
	Text string `xml:",chardata"`
}

// Atom writes a feed with its entries, newest first. All texts are plain text: the writer
// escapes markup, and replaces what XML does not have. The feed does not have its own address,
// because that is a secret which a copy of the feed must not tell.
func Atom(feed Feed, entries []Entry) ([]byte, error) {
	doc := atomFeed{
		ID: "urn:uuid:" + feed.ID, Title: feedTitle, Updated: moment(Updated(feed, entries)), Author: atomPerson{feedAuthor},
	}
	for i := range entries {
		doc.Entries = append(doc.Entries, entries[i].atom())
	}
	body, err := xml.Marshal(doc)
	return append([]byte(xml.Header), body...), err
}

// Updated is when a feed last got a text; without texts, when its address was made.
func Updated(feed Feed, entries []Entry) time.Time {
	if len(entries) > 0 {
		return entries[0].Appeared()
	}
	return feed.CreatedAt
}

func (e *Entry) atom() atomEntry {
	entry := atomEntry{
		ID: "urn:uuid:" + e.ID, Title: e.title(), Updated: moment(e.Appeared()), Published: moment(e.Appeared()),
	}
	if e.Channel != nil {
		if name := clip.Line(*e.Channel, maxTitle); name != "" {
			entry.Author = &atomPerson{name}
		}
	}
	text := &atomText{Lang: e.Lang, Text: e.Excerpt}
	if link := e.link(); link != "" {
		entry.Link, entry.Summary = &atomLink{"alternate", link}, text
	} else {
		entry.Content = text // Atom requires a link in an entry without content
	}
	return entry
}

// title is the title of the recording, or its id if the title is not known.
func (e *Entry) title() string {
	if e.Title != nil {
		if title := clip.Line(*e.Title, maxTitle); title != "" {
			return title
		}
	}
	return cmp.Or(clip.Line(e.ExternalID, maxTitle), string(e.Platform))
}

// link is the address of the recording, or empty if it has none that a browser opens.
func (e *Entry) link() string {
	if e.SourceURL == nil {
		return ""
	}
	u, err := url.Parse(*e.SourceURL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return ""
	}
	return u.String()
}

func moment(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
