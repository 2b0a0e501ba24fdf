package order

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/library/follow"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The bounds of a request for follows, which are the API's too.
const (
	maxListBytes = 8 << 20
	mostFirst    = 50
)

// followsPage is a page of what the account follows, and a form to follow more.
type followsPage struct {
	Follows []follow.Follow
	Older   string // the address of the next page; empty: none
	Later   bool   // whether this is not the first page
	Deleted bool   // whether a follow has just been deleted
	Form    followForm
	Added   *added // what became of a list of subscriptions; nil: none was sent
}

// added is what became of a list of subscriptions.
type added struct {
	New, Before int          // follows that were made, and follows that were there already
	Refused     []follow.Row // rows that made no follow
}

// followForm is the form as the visitor filled it in, with its fault.
type followForm struct {
	Link     string
	Language string
	Most     string

	Trouble *web.Trouble // of a field: "link", "file", "language", "most"; nil: no fault
}

// follows are the pages of what an account follows.
type follows struct{ *web.Site }

// list lists what the visitor follows.
func (p follows) list(r *web.Request) error {
	return p.show(r, http.StatusOK, followsPage{Deleted: r.FormValue("deleted") != ""})
}

func (p follows) show(r *web.Request, status int, shown followsPage) error {
	query := client.PageParams{}
	if r.Method == http.MethodGet {
		query.Token = r.FormValue("page")
	}
	found, err := p.API.Follows.List(r.Context(), query)
	switch {
	case err == nil:
		shown.Follows, shown.Later = found.Items, query.Token != ""
		if found.Next != "" {
			shown.Older = "/follows?" + url.Values{"page": {found.Next}}.Encode()
		}
	case shown.Form.Trouble == nil: // a refused form is shown without the list
		return err
	}
	return r.Show(status, "follows", shown)
}

// create follows a link, or all addresses of a file. Sending the form twice changes
// nothing: the API makes no equal follow.
func (p follows) create(r *web.Request) error {
	form, list, err := readFollowForm(r.Request)
	var wrong *fieldError
	if errors.As(err, &wrong) {
		form.Trouble = r.Invalid(wrong.field, wrong.text)
		return p.show(r, form.Trouble.Status, followsPage{Form: form})
	}
	if err != nil {
		return err
	}
	shown := followsPage{}
	to := ""
	if list == nil {
		var made *follow.Follow
		if made, _, err = p.API.Follows.Create(r.Context(), client.FollowParams{Feed: form.Link, FollowOptions: form.options()}); err == nil {
			to = pathOfFollow(made.ID)
		}
	} else {
		shown.Added, err = p.createAll(r.Context(), list, form.options())
	}
	var refused *client.Error
	switch {
	case errors.As(err, &refused) && refused.Err == nil:
		form.Trouble = r.Trouble(err)
		form.Trouble.Field = fieldOfFollow(refused, list != nil)
		return p.show(r, form.Trouble.Status, followsPage{Form: form})
	case err != nil:
		return err
	case to != "":
		return r.Redirect(to)
	}
	return p.show(r, http.StatusOK, shown)
}

// createAll follows all addresses of a list, and counts what became of them.
func (p follows) createAll(ctx context.Context, list []byte, o client.FollowOptions) (*added, error) {
	rows, err := p.API.Follows.CreateAll(ctx, bytes.NewReader(list), formatOfList(list), o)
	if err != nil {
		return nil, err
	}
	all := &added{}
	for _, row := range rows {
		switch {
		case row.Error != nil:
			all.Refused = append(all.Refused, row)
		case row.Created:
			all.New++
		default:
			all.Before++
		}
	}
	return all, nil
}

// formatOfList tells an OPML file from a CSV by its first character.
func formatOfList(list []byte) client.SubscriptionFormat {
	if bytes.HasPrefix(bytes.TrimSpace(bytes.TrimPrefix(list, []byte("\ufeff"))), []byte("<")) {
		return client.OPML
	}
	return client.SubscriptionsCSV
}

// options are the options of the follows that a form makes. The form has been read.
func (f followForm) options() client.FollowOptions {
	o := client.FollowOptions{Language: strings.FieldsFunc(f.Language, func(r rune) bool { return r == ',' || r == ' ' })}
	o.MaxItems, _ = strconv.Atoi(f.Most) // it is empty or a number
	return o
}

// readFollowForm reads a form, with or without a file. list is the content of the file; nil:
// there is none. The error is a fieldError, or the error of an unreadable form.
func readFollowForm(r *http.Request) (f followForm, list []byte, err error) {
	var tooLarge *http.MaxBytesError
	switch err := r.ParseMultipartForm(1 << 20); {
	case errors.As(err, &tooLarge):
		return f, nil, &fieldError{"file", "follows.tooLarge"}
	case err != nil && !errors.Is(err, http.ErrNotMultipart):
		return f, nil, transcript.Errorf(transcript.InvalidRequest, "The form cannot be read.").Because(err)
	}
	f = followForm{
		Link:     strings.TrimSpace(r.PostFormValue("link")),
		Language: strings.TrimSpace(r.PostFormValue("language")), Most: strings.TrimSpace(r.PostFormValue("most")),
	}
	if n, err := strconv.Atoi(f.Most); f.Most != "" && (err != nil || n < 0 || n > mostFirst) {
		return f, nil, &fieldError{"most", "follows.badMost"}
	}
	file, header, err := r.FormFile("file")
	if err == nil && header.Filename != "" {
		defer file.Close()
		if list, err = io.ReadAll(file); err != nil {
			return f, nil, err
		}
	}
	switch {
	case list == nil && f.Link == "":
		return f, nil, &fieldError{"link", "follows.noLink"}
	case list != nil && f.Link != "":
		return f, nil, &fieldError{"file", "follows.both"}
	case list != nil && len(bytes.TrimSpace(list)) == 0:
		return f, nil, &fieldError{"file", "follows.emptyFile"}
	}
	return f, list, nil
}

// fieldOfFollow is the field of the form that a refusal of the API is about.
func fieldOfFollow(refused *client.Error, file bool) string {
	at, _, _ := strings.Cut(web.FirstIssue(refused.Details).Path, ".")
	switch {
	case at == "language":
		return "language"
	case at == "maxItems":
		return "most"
	case refused.Code == transcript.UpgradeRequired:
		return ""
	case file:
		return "file"
	}
	return "link"
}

// pathOfFollow returns the path of the page of a follow.
func pathOfFollow(id string) string { return "/follows/" + url.PathEscape(id) }

// followPage is a follow with a page of its items.
type followPage struct {
	follow.Follow
	Items []followItem
	Older string // the address of the next page; empty: none
	Later bool   // whether this is not the first page
}

// followItem is an item with the address of its text.
type followItem struct {
	follow.Item
	Text string // empty: there is no text
}

// one shows a follow and what became of its items.
func (p follows) one(r *web.Request) error {
	id, query := r.PathValue("id"), client.PageParams{Token: r.FormValue("page")}
	found, err := p.API.Follows.Get(r.Context(), id)
	if err != nil {
		return err
	}
	items, err := p.API.Follows.Items(r.Context(), id, query)
	if err != nil {
		return err
	}
	shown := followPage{Follow: *found, Later: query.Token != ""}
	for _, item := range items.Items {
		row := followItem{Item: item}
		if item.Status == follow.ItemSubmitted && item.Platform != nil && item.ExternalID != nil {
			row.Text = web.TextPath(*item.Platform, *item.ExternalID, "")
		}
		shown.Items = append(shown.Items, row)
	}
	if items.Next != "" {
		shown.Older = pathOfFollow(id) + "?" + url.Values{"page": {items.Next}}.Encode()
	}
	return r.Show(http.StatusOK, "follow", shown)
}

// change pauses a follow, lets it go on, or deletes it.
func (p follows) change(r *web.Request) error {
	id, to := r.PathValue("id"), pathOfFollow(r.PathValue("id"))
	var err error
	switch path.Base(r.URL.Path) {
	case "pause":
		_, err = p.API.Follows.Pause(r.Context(), id)
	case "resume":
		_, err = p.API.Follows.Resume(r.Context(), id)
	default:
		err, to = p.API.Follows.Delete(r.Context(), id), "/follows?deleted=1"
	}
	return r.Done(err, to)
}
