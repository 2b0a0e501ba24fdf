package admin

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/server/account"
)

// mostAccounts is how many accounts a page lists.
const mostAccounts = 50

// list is the content of the page of all accounts.
type list struct {
	Accounts []account.Account
	Search   string
	Next     string // the address of the next page; empty: this is the last one
	Count    int    // of all accounts that the search finds
	Form     form
	Plans    []string
}

// Chosen returns the plan that the form shows first.
func (l list) Chosen() string { return l.Form.Plan }

// form is a form that is shown again, with its fault.
type form struct {
	Name, Plan string
	Trouble    string // empty: no fault
}

// accounts lists the accounts whose names contain the words of a search.
func (p *pages) accounts(r *web.Request) error { return p.list(r, http.StatusOK, form{}) }

func (p *pages) list(r *web.Request, status int, sent form) error {
	all, err := p.Accounts.List(r.Context())
	if err != nil {
		return err
	}
	l := list{Search: strings.TrimSpace(r.URL.Query().Get("q")), Form: sent, Plans: p.Plans}
	all = slices.DeleteFunc(all, func(a account.Account) bool {
		return !strings.Contains(strings.ToLower(a.Name), strings.ToLower(l.Search))
	})
	l.Count = len(all)
	after := r.URL.Query().Get("after")
	l.Accounts = slices.DeleteFunc(all, func(a account.Account) bool { return after != "" && a.Name <= after })
	if len(l.Accounts) > mostAccounts {
		l.Accounts = l.Accounts[:mostAccounts]
		l.Next = web.WithQuery("/admin/accounts", "q", l.Search, "after", l.Accounts[mostAccounts-1].Name)
	}
	return r.Show(status, "admin-accounts", l)
}

// create adds a user with an account. It refuses the name of an existing account, so that the form
// changes no account.
func (p *pages) create(r *web.Request) error {
	name, plan := strings.TrimSpace(r.PostFormValue("name")), r.PostFormValue("plan")
	refuse := func(status int, key string) error {
		return p.list(r, status, form{Name: name, Plan: plan, Trouble: r.Text(key)})
	}
	if !slices.Contains(p.Plans, plan) {
		return refuse(http.StatusUnprocessableEntity, "admin.noPlan")
	}
	switch _, err := p.Accounts.Account(r.Context(), name); {
	case err == nil:
		return refuse(http.StatusConflict, "sign.taken")
	case !errors.Is(err, account.ErrNotFound):
		return err
	}
	switch _, err := p.Visitors.AddUser(r.Context(), name, r.PostFormValue("password")); {
	case errors.Is(err, visitor.ErrName):
		return refuse(http.StatusUnprocessableEntity, "sign.badName")
	case errors.Is(err, visitor.ErrPassword):
		return refuse(http.StatusUnprocessableEntity, "sign.badPassword")
	case errors.Is(err, visitor.ErrTaken):
		return refuse(http.StatusConflict, "sign.taken")
	case err != nil:
		return err
	}
	if err := p.note(r, "make", name, plan); err != nil {
		return err
	}
	_, err := p.Accounts.Set(r.Context(), name, account.Settings{Plan: plan})
	return r.Done(err, pathOf(name)+"?done=make")
}

// note remembers what the visitor does to an account, and logs it.
func (p *pages) note(r *web.Request, action, name, detail string) error {
	own := r.Visitor().Name
	p.Log.InfoContext(r.Context(), "an administrator changes an account", "admin", own, "action", action, "account", name, "detail", detail)
	return p.Visitors.Admins.Note(r.Context(), visitor.Deed{Admin: own, Action: action, Account: name, Detail: detail})
}

// pathOf is the page of an account.
func pathOf(name string) string { return "/admin/accounts/" + url.PathEscape(name) }
