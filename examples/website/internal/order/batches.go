package order

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// maxBatchBytes bounds the links of a batch. It is the API's bound, too.
const maxBatchBytes = 8 << 20

// batchesPage is a page of the account's batches, and a form to make one.
type batchesPage struct {
	Batches []batch.Job
	Status  batch.Status // the selected status; empty: any
	Older   string       // the token of the next page; empty: none
	Later   bool         // whether this is not the first page
	Deleted bool         // whether one has just been deleted
	Form    batchForm
}

// Statuses returns the statuses to choose from; the empty one means any.
func (batchesPage) Statuses() []batch.Status {
	return []batch.Status{"", batch.Pending, batch.Processing, batch.Completed, batch.Failed, batch.Cancelled}
}

// batchForm is the form as the visitor filled it in, with its fault.
type batchForm struct {
	Once     string // its Idempotency-Key, so that sending the form twice makes one batch
	From     batch.Mode
	Links    string
	List     string // a playlist or a channel
	Language string
	Most     string // a bound on the number of items

	Items   int          // how many items the plan permits
	Trouble *web.Trouble // of a field: "links", "file", "list", "language", "most"; nil: no fault
}

// Modes returns the sources of a batch.
func (batchForm) Modes() []batch.Mode {
	return []batch.Mode{batch.Links, batch.Playlist, batch.Channel}
}

// batches are the pages of batches.
type batches struct{ *web.Site }

// list lists the visitor's batches.
func (p batches) list(r *web.Request) error {
	return p.show(r, http.StatusOK, batchForm{})
}

func (p batches) show(r *web.Request, status int, form batchForm) error {
	shown := batchesPage{Form: form, Deleted: r.FormValue("deleted") != ""}
	query := client.BatchListParams{}
	if form.Trouble == nil {
		shown.Status = batch.Status(r.FormValue("status"))
		query.Status, query.Token = shown.Status, r.FormValue("page")
	}
	found, err := p.API.Batches.List(r.Context(), query)
	switch {
	case err == nil:
		shown.Batches, shown.Later = found.Items, query.Token != ""
		if found.Next != "" {
			shown.Older = "/batches?" + url.Values{"status": {string(shown.Status)}, "page": {found.Next}}.Encode()
		}
	case form.Trouble == nil: // a refused form is shown without the list
		return err
	}
	shown.Form.Once = uuid.NewString()
	if shown.Form.From == "" {
		shown.Form.From = batch.Links
	}
	if shown.Form.Items, err = p.itemsPermitted(r); err != nil {
		return err
	}
	return r.Show(status, "batches", shown)
}

// itemsPermitted returns how many items a batch of the visitor may have.
func (p batches) itemsPermitted(r *web.Request) (int, error) {
	who, err := p.Accounts.Principal(r.Context(), r.Visitor().Account)
	if err != nil && who.Plan.Name == "" {
		return 0, err
	}
	if n := who.Plan.BatchItems; n >= 0 {
		return min(n, web.MostItems), nil
	}
	return web.MostItems, nil
}

// create makes a batch and redirects to its page.
func (p batches) create(r *web.Request) error {
	form, params, err := readBatchForm(r.Request, p.Sites)
	var wrong *fieldError
	switch {
	case errors.As(err, &wrong):
		form.Trouble = r.Invalid(wrong.field, wrong.text)
		return p.show(r, form.Trouble.Status, form)
	case err != nil:
		return err
	}
	once, err := uuid.Parse(r.PostFormValue("once"))
	if err != nil { // the form is not from these pages, so sending it twice makes two batches
		once = uuid.New()
	}
	made, err := p.API.Batches.Create(r.Context(), params.BatchParams, client.WithIdempotencyKey(once.String()))
	if errors.Is(err, transcript.IdempotencyConflict) { // the form was sent before and then changed
		if params.CSV != nil {
			params.CSV = bytes.NewReader(params.table)
		}
		made, err = p.API.Batches.Create(r.Context(), params.BatchParams)
	}
	var refused *client.Error
	if errors.As(err, &refused) && refused.Err == nil {
		form.Trouble = r.Trouble(err)
		form.Trouble.Field, form.Trouble.Message = fieldOf(r, &params, refused, form.Trouble.Message)
		return p.show(r, form.Trouble.Status, form)
	}
	if err != nil {
		return err
	}
	return r.Redirect(params.passed.Onto(pathOfBatch(made.ID)))
}

// pathOfBatch returns the path of a batch's page.
func pathOfBatch(id string) string { return "/batches/" + url.PathEscape(id) }

// fieldError is a faulty field of a form, and the text that describes the fault.
type fieldError struct{ field, text string }

func (e *fieldError) Error() string { return e.field + ": " + e.text }

// batchParams are the parameters in a form, and the field of each part.
type batchParams struct {
	client.BatchParams
	source string // the field of links, the file, or the list
	lines  []int  // the line of each link, from 1
	table  []byte // the content that CSV reads
	passed web.Passed
}

// readBatchForm reads a form, with or without a file. The error is a fieldError, or the error
// of an unreadable form.
func readBatchForm(r *http.Request, sites *site.Table) (f batchForm, p batchParams, err error) {
	var tooLarge *http.MaxBytesError
	switch err := r.ParseMultipartForm(1 << 20); {
	case errors.As(err, &tooLarge):
		return batchForm{From: batch.Links}, p, &fieldError{"file", "batches.tooLarge"}
	case err != nil && !errors.Is(err, http.ErrNotMultipart):
		return f, p, transcript.Errorf(transcript.InvalidRequest, "The form cannot be read.").Because(err)
	}
	f = batchForm{
		From: batch.Mode(r.PostFormValue("from")), Links: r.PostFormValue("links"), List: strings.TrimSpace(r.PostFormValue("list")),
		Language: strings.TrimSpace(r.PostFormValue("language")), Most: strings.TrimSpace(r.PostFormValue("most")),
	}
	for tag := range strings.FieldsFuncSeq(f.Language, func(r rune) bool { return r == ',' || r == ' ' }) {
		p.Language = append(p.Language, tag)
	}
	if f.Most != "" {
		if p.MaxItems, err = strconv.Atoi(f.Most); err != nil || p.MaxItems < 1 {
			return f, p, &fieldError{"most", "batches.badMost"}
		}
	}
	p.source = "list"
	switch f.From {
	case batch.Playlist:
		p.Playlist = f.List
	case batch.Channel:
		p.Channel = f.List
	default:
		f.From = batch.Links
		return f, p, p.readLinks(r, f.Links, sites)
	}
	if f.List == "" {
		return f, p, &fieldError{"list", "batches.noList"}
	}
	return f, p, nil
}

// readLinks takes typed links, or the links of a file.
func (p *batchParams) readLinks(r *http.Request, typed string, sites *site.Table) error {
	file, header, err := r.FormFile("file")
	if err == nil && header.Filename != "" {
		defer file.Close()
		if strings.TrimSpace(typed) != "" {
			return &fieldError{"file", "batches.both"}
		}
		p.source = "file"
		content, err := io.ReadAll(file)
		if err != nil {
			return fmt.Errorf("order: reading a file of links: %w", err)
		}
		if isTable(header.Filename, header.Header.Get("Content-Type")) {
			p.table, p.CSV = content, bytes.NewReader(content)
			return nil
		}
		typed = string(bytes.TrimPrefix(content, []byte("\ufeff")))
	} else {
		p.source = "links"
	}
	prose := anyLink(typed, sites)
	lines := bufio.NewScanner(strings.NewReader(typed))
	lines.Buffer(nil, maxBatchBytes+web.MaxForm)
	for n := 1; lines.Scan(); n++ {
		for _, link := range p.linksOfLine(strings.TrimSpace(lines.Text()), prose, sites) {
			p.URLs, p.lines = append(p.URLs, link), append(p.lines, n)
		}
	}
	if len(p.URLs) == 0 {
		return &fieldError{p.source, "batches.noLinks"}
	}
	return lines.Err()
}

// linksOfLine returns the links of a line. In prose it passes over lines of words. A line that is
// one word, or in a list, is meant as a link: if it is none, the API says so with its number.
func (p *batchParams) linksOfLine(line string, prose bool, sites *site.Table) []string {
	found, err := findLinks(line, sites)
	single := !strings.ContainsAny(line, " \t")
	switch {
	case line == "":
		return nil
	case err != nil, len(found.links) == 0 && (single || !prose), found.doubtful && !prose:
		return []string{line}
	case found.doubtful:
		p.passed.Words += len(found.words) + len(found.links)
		return nil
	}
	p.passed.Links += len(found.links)
	p.passed.Words += len(found.words)
	p.passed.Repeats += found.repeats
	return found.links
}

// isTable reports whether a file is a CSV, by its name, or by its type if the name has no
// extension.
func isTable(name, contentType string) bool {
	media, _, _ := mime.ParseMediaType(contentType) // an unreadable type counts as none
	return strings.EqualFold(path.Ext(name), ".csv") || path.Ext(name) == "" && media == "text/csv"
}

// link matches the API's name of one of the links.
var link = regexp.MustCompile(`^urls\.(\d+)$`)

// fieldOf returns the field that the API refuses, and the reason, with the line if there are
// lines.
func fieldOf(r *web.Request, sent *batchParams, refused *client.Error, message string) (field, says string) {
	switch refused.Code {
	case transcript.CSVParseError:
		return "file", message
	case transcript.BatchLimitExceeded, transcript.InvalidVideo, transcript.UnsupportedPlatform:
		return sent.source, message
	case transcript.InvalidRequest:
	default:
		return "", message
	}
	issue := web.FirstIssue(refused.Details)
	switch of := link.FindStringSubmatch(issue.Path); {
	case of != nil:
		if n, err := strconv.Atoi(of[1]); err == nil && n < len(sent.lines) {
			return sent.source, r.Text("batches.line", "line", sent.lines[n], "says", r.Fault(transcript.Issue{Path: "url", Reason: issue.Reason}))
		}
	case issue.Path == "language":
		return "language", message
	case issue.Path == "maxItems":
		return "most", message
	case issue.Path != "":
		return sent.source, message
	}
	return "", message
}
