package page_test

import (
	"fmt"
	"net/http"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// onlyUser is the account of the user of a site.
const onlyUser = "me"

var secretShown = regexp.MustCompile(`tr_[0-9A-Za-z]{8}_[0-9A-Za-z_-]{40,}`)

// keyForm are the fields of a form to make a key, as a page shows it, filled in.
func keyForm(t *testing.T, page, name string, more ...string) []string {
	t.Helper()
	id := regexp.MustCompile(`name="id" value="([^"]+)"`).FindStringSubmatch(page)
	require.NotNil(t, id)
	return append([]string{"id", id[1], "name", name}, more...)
}

func TestKeyIsShownOnceAndWorks(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	const name = `<b>"ci"</b>`
	form := keyForm(t, s.get(t, "/keys").body, name, "scope", "transcripts", "days", "30")
	made := s.post(t, "/keys", form...)
	require.Equal(t, http.StatusCreated, made.status, made.body)
	assert.Equal(t, "no-store", made.header.Get("Cache-Control"))
	assert.NotContains(t, made.body, "<b>", "a name is text")
	secret := secretShown.FindString(made.body)
	require.NotEmpty(t, secret)
	assert.Contains(t, made.body, s.base+"/v1/transcript", "the command names the site")

	c, err := client.New(s.URL, client.WithAPIKey(secret))
	require.NoError(t, err)
	usage, err := c.Usage.Get(t.Context())
	require.NoError(t, err)
	assert.Equal(t, name, usage.Key.Name)
	assert.Equal(t, []string{"transcripts"}, usage.Key.Scopes)
	require.NotNil(t, usage.Key.ExpiresAt)
	_, err = c.Batches.List(t.Context(), client.BatchListParams{})
	require.ErrorIs(t, err, transcript.Forbidden)

	again := s.post(t, "/keys", form...) // a reload
	assert.Equal(t, http.StatusConflict, again.status)
	for _, later := range []answered{again, s.get(t, "/keys")} {
		assert.Contains(t, later.body, secret[:11], "its prefix stays")
		assert.NotRegexp(t, secretShown, later.body)
	}
	keys, err := s.Accounts.KeysOf(t.Context(), onlyUser)
	require.NoError(t, err)
	assert.Len(t, keys, 1)

	revoked := s.post(t, "/keys/"+secret[:11]+"/revoke")
	require.Equal(t, http.StatusSeeOther, revoked.status)
	assert.Contains(t, s.get(t, revoked.header.Get("Location")).body, "is revoked")
	assert.NotContains(t, s.get(t, "/keys?revoked=Pay+me").body, "Pay me")
	_, err = c.Usage.Get(t.Context())
	assert.ErrorIs(t, err, transcript.Unauthorized)
}

func TestKeyOfAnotherAccountIsNone(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User) // whose service has a key of servertest.Account
	body := s.get(t, "/keys").body
	assert.NotContains(t, body, s.Key[:11])
	assert.Equal(t, http.StatusNotFound, s.post(t, "/keys/"+s.Key[:11]+"/revoke").status)
	_, err := s.Accounts.Verify(t.Context(), s.Key)
	assert.NoError(t, err, "it is still good")
}

func TestKeyFormSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	page := s.get(t, "/keys").body
	for field, fields := range map[string][]string{
		"name":   keyForm(t, page, " ", "scope", "batches", "days", ""),
		"scopes": keyForm(t, page, "ci", "days", ""),
		"days":   keyForm(t, page, "ci", "scope", "batches", "days", "1000000"),
	} {
		got := s.post(t, "/keys", fields...)
		assert.Equal(t, http.StatusUnprocessableEntity, got.status, field)
		assert.Contains(t, got.body, `id="`+field+`-trouble"`)
	}
	assert.Equal(t, http.StatusUnprocessableEntity, s.post(t, "/keys", "name", "ci", "scope", "batches", "days", "").status, "a form without its id")
	assert.Equal(t, http.StatusUnprocessableEntity, s.post(t, "/keys", keyForm(t, page, "ci", "scope", "admin", "days", "")...).status)
}

func TestMostKeysOfAPerson(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	for n := range 50 {
		_, _, err := s.Accounts.CreateKey(t.Context(), account.KeyParams{Account: onlyUser, Name: fmt.Sprint("key ", n), Scopes: account.Scopes()})
		require.NoError(t, err)
	}
	page := s.get(t, "/keys").body
	refused := s.post(t, "/keys", keyForm(t, page, "one more", "scope", "batches", "days", "")...)
	assert.Equal(t, http.StatusConflict, refused.status)
	assert.Contains(t, refused.body, "the limit of 50 keys")
	assert.Contains(t, refused.body, `value="one more"`, "what was typed stays")
}

// A plan that does not pay has no keys, no feed and no links to texts.
func TestPlanWithoutKeys(t *testing.T) {
	t.Parallel()
	free := account.Plan{Name: "free", ActionLabel: "Choose a plan", ActionURL: "https://example.com/plans"}
	s := newSite(t, visitor.User, servertest.OnPlan(account.WithoutLimits("paid"), free))
	s.save(t, "dQw4w9WgXcQ", "A talk", "en", "hello world")
	page, share := s.get(t, "/keys").body, s.get(t, sharePath).body
	_, err := s.Accounts.Set(t.Context(), onlyUser, account.Settings{Plan: "free"})
	require.NoError(t, err)

	refused := s.post(t, "/keys", keyForm(t, page, "ci", "scope", "batches", "days", "")...)
	for _, shown := range []answered{refused, s.get(t, "/keys")} {
		assert.Contains(t, shown.body, `href="https://example.com/plans"`)
		assert.NotContains(t, shown.body, `action="/keys"`, "there is no form for what is refused")
	}
	feed := s.post(t, "/feed", "before", "")
	assert.Contains(t, feed.body, `href="https://example.com/plans"`)
	link := s.post(t, sharePath, "before", before(t, share))
	assert.NotRegexp(t, linkShown, link.body)
	for _, got := range []answered{refused, feed, link} {
		assert.Equal(t, http.StatusPaymentRequired, got.status)
	}
}
