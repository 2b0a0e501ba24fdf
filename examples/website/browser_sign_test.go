package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
)

// Somebody makes an account, signs out, is refused with a wrong password and let in with
// the right one, to the page where they wanted to go.
func TestBrowserSignsUpOutAndIn(t *testing.T) {
	t.Parallel()
	_, page := openSite(t)
	signUp(page, "ann")
	page.See("link", "Settings")
	page.See("link", "Library")
	page.Open("/account")
	page.Click("button", "Sign out")
	page.WaitAt(`^/$`)
	assert.False(t, page.Sees("link", "Library"))

	page.Expect(`log: .* status of 401 .*/sign-in$`)
	page.Open("/account")
	page.WaitAt(`^/sign-in\?next=`)
	page.Type("textbox", "Name", "ann")
	page.Type("textbox", "Password", "not that one")
	page.Click("button", "Sign in")
	page.WaitText("main", "The name or the password is wrong.")
	assert.Equal(t, "ann", browsertest.Eval[string](page, `document.querySelector("[name=name]").value`))
	page.Type("textbox", "Password", password)
	page.Click("button", "Sign in")
	page.WaitAt(`^/account$`)
	page.WaitText("main", "ann")
}
