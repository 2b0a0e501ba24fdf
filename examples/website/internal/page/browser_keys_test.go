package page_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
)

// A key is on the page that made it, and on no other: not after a reload, and not after
// the way back.
func TestBrowserShowsAKeyOnce(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	page := s.open(t)
	page.Open("/keys")
	page.Type("textbox", "Name", "ci")
	page.Click("button", "Create key")
	page.See("button", "Copy")
	secret := page.Text("#secret")
	_, err := s.Accounts.Verify(t.Context(), secret)
	require.NoError(t, err)
	page.WaitAt(`^/keys$`)
	assert.Empty(t, page.Barriers())

	page.Open("/usage")
	browsertest.Eval[bool](page, `(() => { history.back(); return true; })()`)
	page.WaitAt(`^/keys$`)
	page.See("heading", "Your keys")
	assert.NotContains(t, page.Text("main"), secret)
	page.Reload()
	page.See("heading", "Your keys")
	assert.NotContains(t, page.Text("main"), secret)
	keys, err := s.Accounts.KeysOf(t.Context(), onlyUser)
	require.NoError(t, err)
	assert.Len(t, keys, 1, "nothing was sent twice")
}
