package page

import (
	"errors"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
)

// signInPath is the sign-in page. The API's refusals to guests lead there too.
const signInPath = "/sign-in"

// signForm is the content of the sign-in and sign-up pages.
type signForm struct {
	Name    string // as it was typed
	Next    string // the page to continue with
	Open    bool   // whether strangers may make accounts
	Trouble string // the fault; empty: none yet

	Held  *heldForm // is sent after the sign-in; nil: none
	Ended string    // tells that the session has ended, and what becomes of the form that was sent; empty: no form was
}

func (p *pages) signInPage(w http.ResponseWriter, r *http.Request) error {
	return p.showSign(w, r, "sign-in", nil)
}

func (p *pages) signUpPage(w http.ResponseWriter, r *http.Request) error {
	return p.showSign(w, r, "sign-up", nil)
}

// showSign shows a sign-in or sign-up page with the fault. It redirects visitors who are
// already signed in.
func (p *pages) showSign(w http.ResponseWriter, r *http.Request, name string, wrong error) error {
	if wrong == nil && visitor.From(r.Context()).Known() {
		http.Redirect(w, r, localPath(r.FormValue("next")), http.StatusSeeOther)
		return nil
	}
	status, trouble, err := p.signTrouble(w, wrong)
	if err != nil {
		return err
	}
	form := signForm{Next: localPath(r.FormValue("next")), Open: p.Visitors.OpenToAll(), Trouble: trouble}
	if wrong != nil {
		if form.Name, form.Held = r.PostFormValue("name"), held(r); form.Held != nil {
			form.Ended = p.strings.text("sign.endedHeld")
		}
	}
	return p.show(w, r, status, name, form)
}

// signTrouble returns the status and the text of a fault. It returns an unexpected error as it
// is.
func (p *pages) signTrouble(w http.ResponseWriter, wrong error) (status int, text string, err error) {
	var tries *visitor.TooManyError
	switch {
	case wrong == nil:
		return http.StatusOK, "", nil
	case errors.As(wrong, &tries):
		seconds := math.Ceil(tries.Wait.Seconds())
		w.Header().Set("Retry-After", strconv.Itoa(int(seconds)))
		return http.StatusTooManyRequests, p.strings.text("sign.tries", "count", math.Ceil(seconds/60)), nil
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
		errTwoPasswords:      {http.StatusUnprocessableEntity, "sign.twoPasswords"},
	} {
		if errors.Is(wrong, is) {
			return said.status, p.strings.text(said.key), nil
		}
	}
	return 0, "", wrong
}

// signIn signs a user in. If the page holds a form of the same user, signIn sends the form and answers
// as the form does. Another user sees nothing of it.
func (p *pages) signIn(w http.ResponseWriter, r *http.Request) error {
	if err := p.Visitors.SignIn(w, r, r.PostFormValue("name"), r.PostFormValue("password")); err != nil {
		return p.showSign(w, r, "sign-in", err)
	}
	if form := held(r); form != nil && form.User == visitor.From(r.Context()).Account {
		return form.send(w, r, p.mux)
	}
	http.Redirect(w, r, localPath(r.PostFormValue("next")), http.StatusSeeOther)
	return nil
}

func (p *pages) signUp(w http.ResponseWriter, r *http.Request) error {
	if err := p.Visitors.SignUp(w, r, r.PostFormValue("name"), r.PostFormValue("password")); err != nil {
		return p.showSign(w, r, "sign-up", err)
	}
	http.Redirect(w, r, localPath(r.PostFormValue("next")), http.StatusSeeOther)
	return nil
}

func (p *pages) signOut(w http.ResponseWriter, r *http.Request) error {
	if err := p.Visitors.SignOut(w, r); err != nil {
		return err
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
	return nil
}

// accountPage is the content of an account's page.
type accountPage struct {
	Trouble string // the fault; empty: none
	Done    string // the completed change; empty: none
}

// errTwoPasswords reports that the new password and its repetition differ.
var errTwoPasswords = errors.New("the two passwords differ")

func (p *pages) account(w http.ResponseWriter, r *http.Request) error {
	done := ""
	switch r.FormValue("done") {
	case "password":
		done = p.strings.text("account.passwordDone")
	case "sessions":
		done = p.strings.text("account.sessionsDone")
	}
	return p.show(w, r, http.StatusOK, "account", accountPage{Done: done})
}

// ofUser wraps a page for visitors who sign in.
func (p *pages) ofUser(next handler) handler {
	return p.member(func(w http.ResponseWriter, r *http.Request) error {
		if visitor.From(r.Context()).Single {
			return p.nothing(w, r)
		}
		return next(w, r)
	})
}

func (p *pages) changePassword(w http.ResponseWriter, r *http.Request) error {
	err := errTwoPasswords
	if next := r.PostFormValue("next"); next == r.PostFormValue("again") {
		err = p.Visitors.ChangePassword(w, r, r.PostFormValue("password"), next)
	}
	if err == nil {
		http.Redirect(w, r, "/account?done=password", http.StatusSeeOther)
		return nil
	}
	status, trouble, err := p.signTrouble(w, err)
	if err != nil {
		return err
	}
	return p.show(w, r, status, "account", accountPage{Trouble: trouble})
}

func (p *pages) signOutElsewhere(w http.ResponseWriter, r *http.Request) error {
	if err := p.Visitors.SignOutElsewhere(w, r); err != nil {
		return err
	}
	http.Redirect(w, r, "/account?done=sessions", http.StatusSeeOther)
	return nil
}

// localPath returns next if it is a page of this website to which a visitor returns after
// signing in, else the start page.
func localPath(next string) string {
	own := ownPath(next)
	if name, _, _ := strings.Cut(own, "?"); name == signInPath || name == "/sign-up" {
		return "/"
	}
	return own
}

// ownPath returns next if it is a page of this website, else the start page.
func ownPath(next string) string {
	to, err := url.Parse(next)
	if err != nil || to.IsAbs() || to.Host != "" || to.User != nil || to.Opaque != "" ||
		!strings.HasPrefix(to.Path, "/") || strings.HasPrefix(to.Path, "//") || strings.ContainsAny(to.Path, "\\\r\n\t") {
		return "/"
	}
	return (&url.URL{Path: to.Path, RawPath: to.RawPath, RawQuery: to.RawQuery, Fragment: to.Fragment, RawFragment: to.RawFragment}).String()
}
