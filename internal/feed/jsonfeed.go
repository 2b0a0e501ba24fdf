package feed

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"
)

// jsonFeed is a document of JSON Feed 1 or 1.1, as far as this package reads it.
type jsonFeed struct {
	Version  string     `json:"version"`
	Title    string     `json:"title"`
	Link     string     `json:"home_page_url"`
	Language string     `json:"language"`
	Items    []jsonItem `json:"items"`
}

type jsonItem struct {
	ID          any    `json:"id"` // a text; some publishers write a number
	URL         string `json:"url"`
	Title       string `json:"title"`
	Published   string `json:"date_published"`
	Attachments []struct {
		URL      string  `json:"url"`
		Type     string  `json:"mime_type"`
		Bytes    float64 `json:"size_in_bytes"`
		Duration float64 `json:"duration_in_seconds"`
	} `json:"attachments"`
}

func parseJSON(r io.Reader, base *url.URL) (*Feed, error) {
	var doc jsonFeed
	if err := json.NewDecoder(r).Decode(&doc); err != nil {
		var syntax *json.SyntaxError
		var kind *json.UnmarshalTypeError
		if errors.As(err, &syntax) || errors.As(err, &kind) {
			return nil, fmt.Errorf("%w: %s", ErrNotFeed, short(err.Error()))
		}
		return nil, err
	}
	if !strings.HasPrefix(doc.Version, "https://jsonfeed.org/version/") {
		return nil, fmt.Errorf("%w: the document is JSON, but no JSON Feed", ErrNotFeed)
	}
	f := &Feed{Title: short(doc.Title), Link: link(base, doc.Link), Language: short(doc.Language)}
	for _, i := range doc.Items {
		f.add(i.item(base))
	}
	return f, nil
}

func (i jsonItem) item(base *url.URL) Item {
	item := Item{Link: link(base, i.URL), Title: short(i.Title), Published: dateOf(i.Published)}
	switch id := i.ID.(type) {
	case string:
		item.GUID = short(id)
	case float64:
		item.GUID = fmt.Sprintf("%.0f", id)
	}
	for _, a := range i.Attachments {
		at := link(base, a.URL)
		if at == "" || !Recorded(a.Type) {
			continue
		}
		item.Enclosure = Enclosure{URL: at, Type: short(a.Type)}
		if a.Bytes > 0 && a.Bytes < 1<<53 {
			item.Enclosure.Length = int64(a.Bytes)
		}
		if a.Duration > 0 && a.Duration < 1000*3600 {
			item.Duration = time.Duration(a.Duration * float64(time.Second))
		}
		break
	}
	return item
}
