package resource

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"

	"github.com/google/uuid"

	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Paging has the fields of a list's query that are about its pages.
type Paging struct {
	MaxResults int    // entries of a page
	PageToken  string // from the previous page; empty means the first page
}

// MaxPageToken limits a page token, in characters. Any position fits.
const MaxPageToken = 1024

// Fields are the parameters of a list. A page has at most most entries, and usual entries
// without maxResults.
func (p *Paging) Fields(most, usual int) []*request.Field {
	return []*request.Field{
		request.New("maxResults", &p.MaxResults, request.Integer(1, most).Default(usual)).
			About("Entries of a page."),
		request.New("pageToken", &p.PageToken, request.Text(1, MaxPageToken)).
			About("The nextPageToken of the previous page. Only maxResults may change between pages."),
	}
}

// Listing identifies a list: by account, route and filters. A page token is valid only
// for its own list.
type Listing [16]byte

// ListingOf returns the list that a request asks for. The table has read its query.
func ListingOf(r *http.Request, query request.Table) Listing {
	return listingFor(edge.Principal(r).Account, r, query)
}

func listingFor(account string, r *http.Request, query request.Table) Listing {
	return ListingNamed(account, r.Pattern, r.URL.Path, filters(query))
}

// filters are the fields of a query that choose the list, and not its page.
func filters(query request.Table) map[string]any {
	all := query.Canonical()
	delete(all, "maxResults")
	delete(all, "pageToken")
	return all
}

// ListingNamed returns the list of an account with these names, which are strings,
// numbers, booleans, and maps of them.
func ListingNamed(account string, names ...any) Listing {
	what, _ := json.Marshal(append([]any{account}, names...)) // of such values, so it never fails
	hash := sha256.Sum256(what)
	return Listing(hash[:])
}

// pageToken is the content of a page token: its list, and the place after which the page
// begins. The token is not signed: with an invented token, a caller only gets to another
// place in its own list.
type pageToken struct {
	Of    []byte `json:"of"`
	After any    `json:"after"`
}

// Token is the page token of the entries after a place. A place may be any value that JSON
// reads back unchanged.
func (l Listing) Token(after any) string {
	token, _ := json.Marshal(pageToken{l[:], after}) // of plain values, so it never fails
	return base64.RawURLEncoding.EncodeToString(token)
}

// After reads the place in a page token into the variable that after points to. If the token is
// empty, After leaves the variable alone. The client may have invented the place, so its type
// must refuse invalid places, as uuid.UUID does. The error is a 400 that names pageToken.
func (l Listing) After(token string, after any) error {
	if token == "" {
		return nil
	}
	read := pageToken{After: after}
	text, err := base64.RawURLEncoding.DecodeString(token)
	if err == nil {
		err = json.Unmarshal(text, &read)
	}
	if err != nil || bytes.Contains(text, []byte(`\u0000`)) { // no database accepts a NUL
		return InvalidPageToken("is no token of this service")
	}
	if l.Token(after) != token { // this also refuses other spellings of the same token
		return InvalidPageToken("belongs to another list, or to other parameters: read the list from its start")
	}
	return nil
}

// Newest answers with a page of a list in the order of ids, newest first. The table is the query of
// the request, with the fields of p. find returns at most most entries below the id before.
func Newest[E any](w http.ResponseWriter, r *http.Request, query request.Table, p *Paging,
	find func(before string, most int) ([]E, error), id func(E) string, body func(page []E, next string) any,
) error {
	if err := query.ReadQuery(r.URL.RawQuery); err != nil {
		return err
	}
	list, last, before := ListingOf(r, query), uuid.UUID{}, ""
	if err := list.After(p.PageToken, &last); err != nil {
		return err
	}
	if p.PageToken != "" {
		before = last.String()
	}
	page, err := find(before, p.MaxResults+1)
	if err != nil {
		return err
	}
	next := ""
	if len(page) > p.MaxResults {
		page = page[:p.MaxResults]
		next = list.Token(id(page[p.MaxResults-1]))
	}
	return edge.RespondJSON(w, http.StatusOK, body(page, next))
}

// InvalidPageToken is a 400 about the parameter pageToken.
func InvalidPageToken(message string) *transcript.Error {
	return request.Invalid(http.StatusBadRequest, transcript.Issue{Path: "pageToken", Message: message})
}
