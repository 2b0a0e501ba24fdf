package web

import (
	"errors"
	"html"
	"io"
	"net/http"
	"regexp"

	"github.com/transcriptkit/transcriptkit/transcript"
)

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

var _ io.ReadCloser = unreadable{}
