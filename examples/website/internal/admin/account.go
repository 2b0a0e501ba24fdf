package admin

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/server/account"
)

// one is the content of the page of an account.
type one struct {
	account.Account
	User    *visitor.Person // who signs in; nil: the account has only keys
	Keys    []account.Key   // the usable ones
	Plans   []string
	Done    string // the change that was just made; empty: none
	Refused string // the change that was refused; empty: none
	Trouble string // why it was refused
}

// Offered reports whether the account's plan is among the offered ones.
func (o one) Offered() bool { return slices.Contains(o.Plans, o.Plan) }

// Chosen returns the plan that the form shows first.
func (o one) Chosen() string { return o.Plan }

// account shows an account.
func (p *pages) account(r *web.Request) error {
	acc, err := p.accountOf(r)
	if err != nil {
		return err
	}
	done := r.FormValue("done")
	if _, known := changes[done]; !known && done != "make" || done == "remove" {
		done = "" // the address is invented
	}
	return p.showOne(r, http.StatusOK, one{Account: acc, Done: done})
}

// accountOf returns the account that the address names.
func (p *pages) accountOf(r *web.Request) (account.Account, error) {
	acc, err := p.Accounts.Account(r.Context(), r.PathValue("name"))
	if errors.Is(err, account.ErrNotFound) {
		return acc, web.Nothing(r)
	}
	return acc, err
}

func (p *pages) showOne(r *web.Request, status int, o one) (err error) {
	if o.User, err = p.userOf(r.Context(), o.Name); err != nil {
		return err
	}
	if o.Keys, err = p.Accounts.KeysOf(r.Context(), o.Name); err != nil {
		return err
	}
	o.Keys = slices.DeleteFunc(o.Keys, func(k account.Key) bool { return k.RevokedAt != nil })
	o.Plans = p.Plans
	return r.Show(status, "admin-account", o)
}

// userOf returns the user of an account; nil if there is none. Users are found without regard to
// case, and accounts are not: another account may have the name in other letters.
func (p *pages) userOf(ctx context.Context, name string) (*visitor.Person, error) {
	u, err := p.Visitors.User(ctx, name)
	if errors.Is(err, visitor.ErrNoUser) || err == nil && u.Name != name {
		return nil, nil
	}
	return &u, err
}

// change is a change of an account.
type change struct {
	typed  bool // whether the visitor types the name again
	ends   bool // whether an administrator stops being one
	ofUser bool // whether the account needs a user
	apply  func(ctx context.Context, p *pages, name, plan string) error
}

// changes are the changes by the last part of their addresses.
var changes = map[string]change{
	"plan": {apply: func(ctx context.Context, p *pages, name, plan string) error {
		_, err := p.Accounts.Set(ctx, name, account.Settings{Plan: plan})
		return err
	}},
	"suspend":  {typed: true, ends: true, apply: suspended(true)},
	"activate": {apply: suspended(false)},
	"promote":  {ofUser: true, apply: role(true)},
	"demote":   {ofUser: true, ends: true, apply: role(false)},
	"remove":   {typed: true, ends: true, apply: remove},
}

func suspended(is bool) func(context.Context, *pages, string, string) error {
	return func(ctx context.Context, p *pages, name, _ string) error {
		_, err := p.Accounts.Set(ctx, name, account.Settings{Suspended: &is})
		return err
	}
}

func role(admin bool) func(context.Context, *pages, string, string) error {
	return func(ctx context.Context, p *pages, name, _ string) error {
		return p.Visitors.Admins.Set(ctx, name, admin)
	}
}

// remove removes the user first, because a sign-in makes the account again.
func remove(ctx context.Context, p *pages, name, _ string) error {
	user, err := p.userOf(ctx, name)
	if err == nil && user != nil {
		err = p.Visitors.RemoveUser(ctx, name)
	}
	if err != nil && !errors.Is(err, visitor.ErrNoUser) { // another request was faster
		return err
	}
	return p.Remove(ctx, name)
}

// change answers the form of a change. It notes the change before it makes it.
func (p *pages) change(action string) web.Handler {
	return func(r *web.Request) error {
		p.deciding.Lock()
		defer p.deciding.Unlock()
		acc, err := p.accountOf(r)
		if err != nil {
			return err
		}
		status, wrong, err := p.wrong(r, action, acc.Name)
		if err != nil {
			return err
		}
		if wrong != "" {
			return p.showOne(r, status, one{Account: acc, Refused: action, Trouble: r.Text(wrong)})
		}
		plan := r.PostFormValue("plan")
		if err := p.note(r, action, acc.Name, plan); err != nil {
			return err
		}
		to := pathOf(acc.Name) + "?done=" + action
		if action == "remove" {
			to = "/admin/log"
		}
		return r.Done(changes[action].apply(context.WithoutCancel(r.Context()), p, acc.Name, plan), to)
	}
}

// wrong returns the key of the text that says why a change is refused; empty: it is not.
func (p *pages) wrong(r *web.Request, action, name string) (status int, wrong string, err error) {
	c := changes[action]
	switch {
	case c.typed && strings.TrimSpace(r.PostFormValue("confirm")) != name:
		return http.StatusUnprocessableEntity, "admin.notTheName", nil
	case action == "plan" && !slices.Contains(p.Plans, r.PostFormValue("plan")):
		return http.StatusUnprocessableEntity, "admin.noPlan", nil
	}
	user, err := p.userOf(r.Context(), name)
	switch {
	case err != nil:
		return 0, "", err
	case user == nil && c.ofUser:
		return http.StatusConflict, "admin.noUser", nil
	case user == nil || !c.ends:
		return 0, "", nil
	}
	last, err := p.Visitors.Admins.IsLast(r.Context(), name)
	if last {
		return http.StatusConflict, "admin.last", err
	}
	return 0, "", err
}
