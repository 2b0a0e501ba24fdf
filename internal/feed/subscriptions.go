package feed

import (
	"bufio"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Subscription is one entry of a list of subscriptions.
type Subscription struct {
	// Row counts the entries of a list from 1. In a CSV it is the line.
	Row   int
	Title string // "" if the list gives none
	// URL is the address of the feed or of the channel's page, as the list gives it. It is
	// "" for a line of a CSV that has no address.
	URL string
}

// ReadOPML reads the feeds of an OPML document, from all of its folders. A list of more
// than MaxItems feeds is ErrTooLarge.
func ReadOPML(r io.Reader) ([]Subscription, error) {
	d := newDecoder(utf8Reader(&bounded{r: r, left: MaxBytes}, ""))
	var all []Subscription
	depth, root := 0, ""
	for {
		t, err := token(d)
		if errors.Is(err, io.EOF) && root != "" {
			return all, nil
		}
		if err != nil {
			return nil, unreadable(err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			if root == "" {
				root = nameOf(t.Name)
			}
			if root != "opml" {
				return nil, fmt.Errorf("%w: the document is no OPML: it begins with the element %q", ErrNotFeed, short(root))
			}
			if depth++; depth > maxDepth {
				return nil, fmt.Errorf("%w: its elements are nested more than %d deep", ErrTooLarge, maxDepth)
			}
			if at := attribute(t, "xmlUrl"); strings.EqualFold(t.Name.Local, "outline") && at != "" {
				title := attribute(t, "title")
				if title == "" {
					title = attribute(t, "text")
				}
				all = append(all, Subscription{Row: len(all) + 1, Title: short(title), URL: short(at)})
			}
		case xml.EndElement:
			depth--
		}
		if len(all) > MaxItems {
			return nil, tooMany()
		}
	}
}

// ReadCSV reads a list with an address in each line, in the first column that has one. The
// column after it is the title, as in the file of subscriptions that the video site gives
// its users (id, address, title). A first line without an address is the header. ReadCSV
// leaves out empty lines.
func ReadCSV(r io.Reader) ([]Subscription, error) {
	lines := csv.NewReader(bufio.NewReader(utf8Reader(&bounded{r: r, left: MaxBytes}, "")))
	lines.FieldsPerRecord = -1
	lines.LazyQuotes = true
	lines.ReuseRecord = true
	var all []Subscription
	for first := true; ; first = false {
		fields, err := lines.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		var syntax *csv.ParseError
		if errors.As(err, &syntax) {
			return nil, fmt.Errorf("%w: line %d: %w", ErrNotFeed, syntax.Line, syntax.Err)
		}
		if err != nil {
			return nil, unreadable(err)
		}
		line, _ := lines.FieldPos(0)
		s := subscriptionOf(line, fields)
		if s.URL == "" && (first || s.Title == "") {
			continue
		}
		if all = append(all, s); len(all) > MaxItems {
			return nil, tooMany()
		}
	}
}

// subscriptionOf reads a line. A line without an address keeps its words as the title.
func subscriptionOf(line int, fields []string) Subscription {
	for i, field := range fields {
		field = strings.TrimSpace(field)
		lower := strings.ToLower(field[:min(len(field), 8)])
		if !strings.HasPrefix(lower, "http://") && lower != "https://" {
			continue
		}
		s := Subscription{Row: line, URL: short(field)}
		if i+1 < len(fields) {
			s.Title = short(fields[i+1])
		}
		return s
	}
	return Subscription{Row: line, Title: short(strings.Trim(strings.Join(fields, " "), " "))}
}

func tooMany() error {
	return fmt.Errorf("%w: it has more than %d subscriptions", ErrTooLarge, MaxItems)
}
