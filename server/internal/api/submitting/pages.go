package submitting

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/recent"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

// Bounds of the pages of a text.
const (
	pageChars  = 50_000   // code points of a page
	pagesBytes = 32 << 20 // of the pages in memory
)

// Pages are the pages of recent texts, by the tags of the texts.
type Pages struct {
	made *recent.Things[string, []*packed.Bytes]
}

// NewPages makes empty Pages.
func NewPages() *Pages { return &Pages{recent.New[string, []*packed.Bytes](pagesBytes)} }

// TextPage is a page of a transcript as plain text.
type TextPage struct {
	*view.Result
	Text          *packed.Bytes // the text as a string of JSON, with its quotes
	Page, Pages   int           // the number of the page, from 1, and the number of pages
	NextPageToken string        // of the next page; empty means that there is no more
}

// PageRequest names the requested page of a text.
type PageRequest struct {
	pageToken     string
	omitTimestamp bool
}

// Fields are the fields of the request.
func (q *PageRequest) Fields() []*request.Field {
	return []*request.Field{
		request.New("includeTimestamp", &q.omitTimestamp, request.Not().Default(false)),
		request.New("pageToken", &q.pageToken, request.Text(1, resource.MaxPageToken)),
	}
}

// FirstPage returns the first page of the text of a job, in the form that the original request
// chose.
func FirstPage(job *view.Job) PageRequest { return PageRequest{omitTimestamp: job.Asked.OmitTimestamp} }

// TextRequest requests the text behind a link.
type TextRequest struct {
	PageRequest
	source resource.Source
	wishes wishes
}

// Table reads the request.
func (q *TextRequest) Table() request.Table {
	return request.Table{Fields: append([]*request.Field{
		request.New("url", &q.source.URL, request.Text(1, resource.MaxURL)).Required(),
		resource.LanguageField(&q.wishes.Languages),
	}, q.Fields()...)}
}

// SubmitText requests a transcript by the rules of POST /v1/transcript, and does not wait.
// Without an error exactly one of the result, whose segments are packed, and the job is not
// nil.
func (t *Intake) SubmitText(ctx context.Context, p account.Principal, q *TextRequest) (*view.Result, *view.Job, error) {
	q.wishes.View.SendMetadata, q.wishes.View.OmitTimestamp = true, q.omitTimestamp
	out, err := t.submitLink(ctx, p, q.source, q.wishes)
	if err != nil {
		return nil, nil, err
	}
	return out.Result, out.Job, nil
}

// TextPage is a page of a text. The caller must have checked that the account may read
// the text.
func (t *Intake) TextPage(owner string, res *view.Result, q PageRequest) (*TextPage, error) {
	tag := resource.MadeOf(res.TextID, res.TextChanged, "pages2", strconv.FormatBool(q.omitTimestamp))
	list, page := resource.ListingNamed(owner, "text", tag), 0
	if err := list.After(q.pageToken, &page); err != nil {
		return nil, err
	}
	pages, err := t.Pages.of(tag, res, !q.omitTimestamp)
	if err != nil {
		return nil, err
	}
	if page < 0 || page >= len(pages) {
		return nil, resource.InvalidPageToken("is no token of this service")
	}
	shown := &TextPage{Result: res, Text: pages[page], Page: page + 1, Pages: len(pages)}
	if page+1 < len(pages) {
		shown.NextPageToken = list.Token(page + 1)
	}
	return shown, nil
}

// of returns the pages of a text from memory, or makes them.
func (p *Pages) of(tag string, res *view.Result, timestamps bool) ([]*packed.Bytes, error) {
	if pages, ok := p.made.Get(tag); ok {
		return pages, nil
	}
	segments, err := res.SegmentsJSON.Plain()
	if err != nil {
		return nil, err
	}
	var read []transcript.Segment
	if err := json.Unmarshal(segments, &read); err != nil {
		return nil, fmt.Errorf("server: reading a stored text: %w", err)
	}
	var pages []*packed.Bytes
	room := 0
	for _, page := range pagesOf(string(format.AppendText(nil, format.NameSpeakers(read), timestamps)), pageChars) {
		quoted, err := json.Marshal(page)
		if err != nil {
			return nil, fmt.Errorf("server: rendering a text: %w", err)
		}
		made := packed.Pack(quoted)
		pages = append(pages, made)
		room += len(made.Gzip()) + made.Len()
	}
	p.made.Put(tag, pages, room)
	return pages, nil
}

// pagesOf divides a text into pages of at most most code points. A page ends at the end of a
// line, otherwise at a space, otherwise between two characters as people count them (grapheme
// clusters). The pages together are exactly the text. A text without characters has one page.
func pagesOf(text string, most int) []string {
	var pages []string
	for utf8.RuneCountInString(text) > most {
		end := cut(text, most)
		pages = append(pages, text[:end])
		text = text[end:]
	}
	return append(pages, text)
}

// cut returns where the first page of a longer text ends, in bytes.
func cut(text string, most int) int {
	full := 0 // the end of a page of most code points
	for range most {
		_, n := utf8.DecodeRuneInString(text[full:])
		full += n
	}
	for _, space := range []string{"\n", " "} {
		if end := strings.LastIndex(text[:full], space); end >= full/2 {
			return end + len(space)
		}
	}
	// The first cluster that does not end within the page begins the next page. A cluster that is longer than a
	// page is cut.
	from, state := max(strings.LastIndexAny(text[:full], " \n"), 0), -1
	end := from
	for rest := text[from:]; rest != ""; {
		var cluster string
		if cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state); end+len(cluster) > full {
			break
		}
		end += len(cluster)
	}
	if end == 0 {
		return full
	}
	return end
}
