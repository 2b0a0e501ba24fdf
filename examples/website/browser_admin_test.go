package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An administrator makes an account, and suspends it after typing its name, with and without
// JavaScript. The log tells it in both languages.
func TestBrowserAdministersAccounts(t *testing.T) {
	t.Parallel()
	s, page := openSite(t, "--sign-up", "--plans="+plansFile)
	page.Expect(`log: .* status of 422 .*`) // another name
	signUp(page, "ann")
	assert.False(t, page.Sees("link", "Administration"))
	require.NoError(t, s.visitors.Admins.Set(t.Context(), "ann", true))
	page.Open("/admin/doctor")
	page.Click("button", "Examine now")
	page.WaitText("main", "free disk")
	assert.Empty(t, page.Barriers())
	for _, name := range []string{"bob", "carl"} {
		page.Open("/")
		page.Click("link", "Administration")
		page.WaitAt(`^/admin$`)
		page.Click("link", "Accounts")
		page.Type("textbox", "Name", name)
		page.Type("textbox", "Password", password)
		page.Click("button", "Make an account")
		page.WaitText("main", "The account is made.")
		page.Click("DisclosureTriangle", "Suspend the account")
		page.Type("textbox", "The name of the account, to go on: "+name, "another")
		page.Click("button", "Suspend the account")
		page.WaitText("main", "That is not the name of the account.")
		page.Type("textbox", "The name of the account, to go on: "+name, name)
		page.Click("button", "Suspend the account")
		page.WaitText("main", "The account is suspended.")
		page.Click("link", "Log")
		page.WaitText("main", "ann: suspended "+name)
		page.NoScripts() // for the second one
	}
	page.Click("button", "Deutsch")
	page.WaitText("main", "ann: hat gesperrt: carl")
}
