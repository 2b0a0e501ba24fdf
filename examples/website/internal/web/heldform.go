package web

import (
	"errors"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// MaxHeld bounds a form that the sign-in page holds, in bytes. It exceeds the size of a form with
// as many links as a batch may have.
const MaxHeld = 1 << 20

// SignForm is the content of the sign-in and sign-up pages.
type SignForm struct {
	Name    string // as it was typed
	Next    string // the page to continue with
	Open    bool   // whether strangers may make accounts
	Trouble string // the fault; empty: none yet

	Held  *HeldForm // is sent after the sign-in; nil: none
	Ended string    // tells that the session has ended, and what becomes of the form that was sent; empty: no form was
}

// HeldForm is a form that was sent after the session of its user had ended. The sign-in page holds
// it, and sends it once the same user has signed in. Files are not held.
type HeldForm struct {
	User string // whose page the form is from
	To   string // the path and query of the form
	Body string // the encoded fields
}

// Held returns the form that a sign-in page has sent; nil: none.
func Held(r *Request) *HeldForm {
	f := HeldForm{User: r.PostFormValue("heldUser"), To: LocalPath(r.PostFormValue("heldTo")), Body: r.PostFormValue("heldBody")}
	if f.User == "" || f.To == "/" {
		return nil
	}
	return &f
}

// holdUntilSignIn answers a form with the sign-in page, which holds the form. It never holds a
// password: the user then returns to the page with the form.
func (r *Request) holdUntilSignIn(user string) error {
	form := SignForm{Name: user, Next: r.pageOf(), Open: r.site.Visitors.OpenToAll()}
	body := r.PostForm.Encode()
	switch {
	case r.PostForm.Has("password"):
		form.Ended = r.Text("sign.ended")
	case len(body) > MaxHeld:
		form.Ended = r.Text("sign.endedTooLarge")
	default:
		form.Ended = r.Text("sign.endedHeld")
		form.Held = &HeldForm{User: user, To: r.URL.RequestURI(), Body: body}
	}
	if form.Held != nil && hasFile(r.MultipartForm) {
		form.Ended = r.Text("sign.endedFile")
	}
	return r.Show(http.StatusUnauthorized, "sign-in", form)
}

// Send answers a request with the answer to the form.
func (f HeldForm) Send(r *Request) error {
	at, err := url.Parse(f.To)
	if err != nil {
		return err
	}
	sent := r.Clone(r.Context())
	sent.URL, sent.RequestURI = at, f.To
	sent.Body, sent.ContentLength = io.NopCloser(strings.NewReader(f.Body)), int64(len(f.Body))
	sent.Form, sent.PostForm, sent.MultipartForm = nil, nil, nil
	r.site.ServeHTTP(r.W, sent)
	return nil
}

// shownTo is the field in which a form names the user of its page. The session of that user may end
// before the form is sent, and another user may sign in.
const shownTo = "shownTo"

// postForm matches the beginning of a form that posts. Text from outside has no markup.
var postForm = regexp.MustCompile(`<form [^>]*method="post"[^>]*>`)

// markForms puts the account into all forms of a page that post.
func markForms(page []byte, account string) []byte {
	field := `<input type="hidden" name="` + shownTo + `" value="` + html.EscapeString(account) + `">`
	return postForm.ReplaceAllFunc(page, func(form []byte) []byte { return append(form[:len(form):len(form)], field...) })
}

// ofReader wraps the answer to a form. A form that was shown to a user is answered for that user
// only. If the session of the user has ended, the sign-in page holds the form.
func ofReader(answer Handler) Handler {
	return func(r *Request) error {
		readForm(r.Request)
		shown, who := r.PostForm.Get(shownTo), r.Visitor()
		switch {
		case shown == "" || shown == who.Account:
			return answer(r)
		case who.Known():
			return r.Refuse(transcript.StateConflict, "problem.anotherUser", "name", shown)
		}
		return r.holdUntilSignIn(shown)
	}
}

// readForm reads the form of a request. After a fault the handler reads the form again, and gets
// the same error.
func readForm(r *http.Request) {
	err := r.ParseForm()
	if err == nil {
		err = r.ParseMultipartForm(1 << 20)
	}
	if err != nil && !errors.Is(err, http.ErrNotMultipart) {
		r.Form, r.PostForm, r.MultipartForm = nil, nil, nil
		r.Body = unreadable{err}
	}
}

// unreadable is the body of a form that cannot be read.
type unreadable struct{ err error }

func (u unreadable) Read([]byte) (int, error) { return 0, u.err }
func (unreadable) Close() error               { return nil }
