package api

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

// paging has the fields of a list's query that are about its pages.
type paging struct {
	maxResults int    // entries of a page
	pageToken  string // from the page before; empty: the first page is asked for
}

// maxPageToken bounds a page token, in characters: that is room for any position.
const maxPageToken = 1024

// fields are the parameters of a list. A page has at most most entries, and usual entries
// without maxResults.
func (p *paging) fields(most, usual int) []*request.Field {
	return []*request.Field{
		request.New("maxResults", &p.maxResults, request.Integer(1, most).Default(usual)).
			About("Entries of a page."),
		request.New("pageToken", &p.pageToken, request.Text(1, maxPageToken)).
			About("The nextPageToken of the page before; the other parameters stay as they were, except maxResults."),
	}
}

// listing tells lists apart: by account, route and filters. The page tokens of a list
// are good for this list only.
type listing [16]byte

// listingOf is the list that a request asks for. The table has read its query.
func listingOf(r *http.Request, query request.Table) listing {
	return listingNamed(edge.Principal(r).Account, r.Pattern, r.URL.Path, filters(query))
}

// filters are the fields of a query that choose a list, and not a page of the list.
func filters(query request.Table) map[string]any {
	all := query.Canonical()
	delete(all, "maxResults")
	delete(all, "pageToken")
	return all
}

// listingNamed is the list of an account that has these names, which are strings, numbers,
// booleans, and maps of them.
func listingNamed(account string, names ...any) listing {
	what, _ := json.Marshal(append([]any{account}, names...)) // of such values: it never fails
	hash := sha256.Sum256(what)
	return listing(hash[:])
}

// pageToken has the content of a page token: its list, and the place after which the
// list goes on. The token is not signed: a caller with an invented token only gets to a
// place in a list of their own.
type pageToken struct {
	Of    []byte `json:"of"`
	After any    `json:"after"`
}

// token is the page token of the entries after a place. A place may be any value that JSON
// reads back unchanged.
func (l listing) token(after any) string {
	token, _ := json.Marshal(pageToken{l[:], after}) // of plain values: it never fails
	return base64.RawURLEncoding.EncodeToString(token)
}

// after reads the place in a page token into the variable that after points to. If the token is
// empty, after leaves the variable alone. The client may have invented the place, so its type
// must refuse values that are no places, as uuid.UUID does. The error is a 400 that names
// pageToken.
func (l listing) after(token string, after any) error {
	if token == "" {
		return nil
	}
	read := pageToken{After: after}
	text, err := base64.RawURLEncoding.DecodeString(token)
	if err == nil {
		err = json.Unmarshal(text, &read)
	}
	if err != nil || bytes.Contains(text, []byte(`\u0000`)) { // no database takes a NUL
		return invalidPageToken("is no token of this service")
	}
	if l.token(after) != token { // this also refuses other forms of the same
		return invalidPageToken("belongs to another list, or to other parameters: read the list from its start")
	}
	return nil
}

// before is after for a list in the order of ids, newest first: the id of the last entry of the
// page before, or "" if the token is empty.
func (l listing) before(token string) (id string, err error) {
	if token == "" {
		return "", nil
	}
	var last uuid.UUID
	if err := l.after(token, &last); err != nil {
		return "", err
	}
	return last.String(), nil
}

func invalidPageToken(message string) *transcript.Error {
	return request.Invalid(http.StatusBadRequest, transcript.Issue{Path: "pageToken", Message: message})
}
