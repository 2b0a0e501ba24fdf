package settings

import (
	"errors"
	"math"
	"net/http"
	"path"
	"strconv"
	"sync"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
)

// accounts are the pages of users who sign in.
type accounts struct {
	*web.Site
	exporting *sync.Mutex // held while the export of an account is written
	exports   *sync.Map   // the accounts whose exports are written or sent
}

// sign shows the sign-in or sign-up page of a path.
func (p accounts) sign(r *web.Request) error { return p.show(r, path.Base(r.URL.Path), nil) }

// show shows a sign-in or sign-up page with the fault. It redirects visitors who are
// already signed in.
func (p accounts) show(r *web.Request, name string, wrong error) error {
	if wrong == nil && r.Visitor().Known() {
		return r.Redirect(web.LocalPath(r.FormValue("next")))
	}
	status, trouble, err := signTrouble(r, wrong)
	if err != nil {
		return err
	}
	form := web.SignForm{Next: web.LocalPath(r.FormValue("next")), Open: p.Visitors.OpenToAll(), Trouble: trouble}
	if wrong != nil {
		if form.Name, form.Held = r.PostFormValue("name"), web.Held(r); form.Held != nil {
			form.Ended = r.Text("sign.endedHeld")
		}
	}
	return r.Show(status, name, form)
}

// signTrouble returns the status and the text of a fault. It returns an unexpected error as it
// is.
func signTrouble(r *web.Request, wrong error) (status int, text string, err error) {
	var tries *visitor.TooManyError
	switch {
	case wrong == nil:
		return http.StatusOK, "", nil
	case errors.As(wrong, &tries):
		seconds := math.Ceil(tries.Wait.Seconds())
		r.W.Header().Set("Retry-After", strconv.Itoa(int(seconds)))
		return http.StatusTooManyRequests, r.Text("sign.tries", "count", math.Ceil(seconds/60)), nil
	}
	for is, said := range map[error]struct {
		status int
		key    string
	}{
		visitor.ErrWrong:     {http.StatusUnauthorized, "sign.wrong"},
		visitor.ErrSuspended: {http.StatusForbidden, "sign.suspended"},
		visitor.ErrClosed:    {http.StatusForbidden, "sign.closed"},
		visitor.ErrName:      {http.StatusUnprocessableEntity, "sign.badName"},
		visitor.ErrTaken:     {http.StatusConflict, "sign.taken"},
		visitor.ErrPassword:  {http.StatusUnprocessableEntity, "sign.badPassword"},
		visitor.ErrLastAdmin: {http.StatusConflict, "admin.last"},
		errTwoPasswords:      {http.StatusUnprocessableEntity, "sign.twoPasswords"},
	} {
		if errors.Is(wrong, is) {
			return said.status, r.Text(said.key), nil
		}
	}
	return 0, "", wrong
}

// signIn signs a user in. If the page holds a form of the same user, signIn sends the form and answers
// as the form does. Another user sees nothing of it.
func (p accounts) signIn(r *web.Request) error {
	if err := p.Visitors.SignIn(r.W, r.Request, r.PostFormValue("name"), r.PostFormValue("password")); err != nil {
		return p.show(r, "sign-in", err)
	}
	if form := web.Held(r); form != nil && form.User == r.Visitor().Account {
		return form.Send(r)
	}
	return r.Redirect(web.LocalPath(r.PostFormValue("next")))
}

func (p accounts) signUp(r *web.Request) error {
	if err := p.Visitors.SignUp(r.W, r.Request, r.PostFormValue("name"), r.PostFormValue("password")); err != nil {
		return p.show(r, "sign-up", err)
	}
	return r.Redirect(web.LocalPath(r.PostFormValue("next")))
}

func (p accounts) signOut(r *web.Request) error {
	return r.Done(p.Visitors.SignOut(r.W, r.Request), "/")
}

// accountPage is the content of an account's page.
type accountPage struct {
	Trouble string // the fault; empty: none
	Done    string // the completed change; empty: none
}

// errTwoPasswords reports that the new password and its repetition differ.
var errTwoPasswords = errors.New("the two passwords differ")

func showAccount(r *web.Request) error {
	done := ""
	switch r.FormValue("done") {
	case "password":
		done = r.Text("account.passwordDone")
	case "sessions":
		done = r.Text("account.sessionsDone")
	}
	return r.Show(http.StatusOK, "account", accountPage{Done: done})
}

// ofUser wraps a page for visitors who sign in.
func ofUser(next web.Handler) web.Handler {
	return web.Member(func(r *web.Request) error {
		if r.Visitor().Single {
			return web.Nothing(r)
		}
		return next(r)
	})
}

func (p accounts) changePassword(r *web.Request) error {
	err := errTwoPasswords
	if next := r.PostFormValue("next"); next == r.PostFormValue("again") {
		err = p.Visitors.ChangePassword(r.W, r.Request, r.PostFormValue("password"), next)
	}
	if err == nil {
		return r.Redirect("/account?done=password")
	}
	status, trouble, err := signTrouble(r, err)
	if err != nil {
		return err
	}
	return r.Show(status, "account", accountPage{Trouble: trouble})
}

func (p accounts) signOutElsewhere(r *web.Request) error {
	return r.Done(p.Visitors.SignOutElsewhere(r.W, r.Request), "/account?done=sessions")
}
