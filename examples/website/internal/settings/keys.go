package settings

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// mostKeys is how many keys a person may have, including those revoked within a day.
const mostKeys = 50

// endedKeys is how many expired and revoked keys are shown, the latest first.
const endedKeys = 20

// keysPage shows the keys of an account, and a form to make one.
type keysPage struct {
	Usable, Ended []account.Key // the latest first
	Form          keyForm
	Refusal       *web.Trouble // why the account may have no keys; nil: it may
	Revoked       string       // the prefix of a key that was just revoked; empty: none

	Made    *account.Key // the key that was just made, else nil
	Secret  string       // its value, shown only this once
	Command string       // an example request with a key
	Most    int
}

// command is an example request to the API.
const command = `curl "%s/v1/transcript" -H "Authorization: Bearer $KEY" --json '{"url": "dQw4w9WgXcQ"}'`

// keyForm is the form as the visitor filled it in, with the faulty field and the fault.
type keyForm struct {
	ID      string // of the key, so that sending the form twice makes one key
	Name    string
	Scopes  []account.Scope
	Days    string
	Field   string // "name", "scopes", "days", or empty: the whole form
	Trouble string // empty: no fault
}

// Has reports whether a scope is checked.
func (f keyForm) Has(s account.Scope) bool { return slices.Contains(f.Scopes, s) }

// AllScopes returns the scopes to choose from.
func (keyForm) AllScopes() []account.Scope { return account.Scopes() }

// lifetimes are the lifetimes to choose from, in days. The empty one means forever.
var lifetimes = []string{"30", "90", "365", ""}

// Lifetimes returns the lifetimes to choose from, in days.
func (keyForm) Lifetimes() []string { return lifetimes }

func newKeyForm() keyForm {
	return keyForm{ID: uuid.Must(uuid.NewV7()).String(), Scopes: account.Scopes(), Days: "90"}
}

// keys are the pages of keys.
type keys struct{ *web.Site }

// list shows the visitor's keys.
func (p keys) list(r *web.Request) error {
	return p.show(r, http.StatusOK, keysPage{Form: newKeyForm(), Revoked: r.FormValue("revoked")})
}

// show completes and shows a page of keys.
func (p keys) show(r *web.Request, status int, shown keysPage) error {
	own := r.Visitor().Account
	keys, err := p.Accounts.KeysOf(r.Context(), own)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(keys, func(k account.Key) bool { return k.Prefix == shown.Revoked && k.RevokedAt != nil }) {
		shown.Revoked = "" // the address may be invented
	}
	slices.Reverse(keys)
	for now := time.Now(); len(keys) > 0; keys = keys[1:] {
		if keys[0].Usable(now) {
			shown.Usable = append(shown.Usable, keys[0])
		} else if len(shown.Ended) < endedKeys {
			shown.Ended = append(shown.Ended, keys[0])
		}
	}
	if _, err := p.Accounts.Principal(r.Context(), own); err != nil {
		shown.Refusal = r.Trouble(err)
	}
	shown.Command, shown.Most = fmt.Sprintf(command, p.Visitors.Origin(r.Request)), mostKeys
	return r.Show(status, "keys", shown)
}

// create makes a key and shows its value in the answer, which no cache stores. Reloading the
// page, or sending the form again, shows that the key exists, but not its value.
func (p keys) create(r *web.Request) error {
	form := keyForm{
		ID: r.PostFormValue("id"), Name: strings.TrimSpace(r.PostFormValue("name")), Days: r.PostFormValue("days"),
	}
	for _, s := range r.PostForm["scope"] {
		form.Scopes = append(form.Scopes, account.Scope(s))
	}
	params, field, wrong := form.params(r.Visitor().Account)
	if wrong != "" {
		return p.refuse(r, http.StatusUnprocessableEntity, form, field, wrong)
	}
	made, secret, err := p.Accounts.CreateKey(r.Context(), params)
	var refused *transcript.Error
	switch {
	case errors.Is(err, account.ErrKeyExists):
		return p.refuse(r, http.StatusConflict, newKeyForm(), "", "keys.madeBefore")
	case errors.Is(err, account.ErrTooManyKeys):
		return p.refuse(r, http.StatusConflict, form, "", "keys.tooMany")
	case errors.As(err, &refused):
		return p.show(r, refused.HTTPStatus(), keysPage{Form: form}) // show tells the reason
	case err != nil:
		return err
	}
	return p.show(r, http.StatusCreated, keysPage{Made: &made, Secret: secret, Form: newKeyForm()})
}

// refuse shows the form again, with the fault.
func (p keys) refuse(r *web.Request, status int, form keyForm, field, text string) error {
	form.Field, form.Trouble = field, r.Text(text, "count", mostKeys)
	return p.show(r, status, keysPage{Form: form})
}

// params returns the parameters of the requested key, or the faulty field and the key of the
// text that describes the fault.
func (f keyForm) params(own string) (_ account.KeyParams, field, wrong string) {
	p := account.KeyParams{ID: f.ID, Account: own, Name: f.Name, Scopes: f.Scopes, Most: mostKeys}
	if n := utf8.RuneCountInString(f.Name); n < 1 || n > 100 || strings.ContainsFunc(f.Name, unprintable) {
		return p, "name", "keys.badName"
	}
	if len(f.Scopes) == 0 || slices.ContainsFunc(f.Scopes, func(s account.Scope) bool { return !slices.Contains(account.Scopes(), s) }) {
		return p, "scopes", "keys.badScopes"
	}
	if !slices.Contains(lifetimes, f.Days) {
		return p, "days", "keys.badDays"
	}
	if days, err := time.ParseDuration(f.Days + "h"); err == nil { // otherwise the key never expires
		at := time.Now().Add(24 * days)
		p.ExpiresAt = &at
	}
	if _, err := uuid.Parse(f.ID); err != nil {
		return p, "", "keys.badForm"
	}
	return p, "", ""
}

func unprintable(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }

// revoke revokes a key of the visitor. A key of another account counts as missing.
func (p keys) revoke(r *web.Request) error {
	prefix := r.PathValue("prefix")
	err := p.Accounts.RevokeOf(r.Context(), r.Visitor().Account, prefix)
	if errors.Is(err, account.ErrNotFound) {
		return r.Refuse(transcript.NotFound, "keys.none")
	}
	return r.Done(err, "/keys?revoked="+url.QueryEscape(prefix))
}
