package visitor_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest" // databases that the test starts by itself
	"github.com/transcriptkit/transcriptkit/server/store"
)

// behindProxy is a website whose visitors' addresses are told, and whose passwords are
// hashed quickly.
func behindProxy(t *testing.T, o store.Options) *site {
	t.Helper()
	var asked atomic.Int64
	s := newSite(t, o, func(o *visitor.Options) {
		o.TrustedProxies = loopbacks
		// The clock goes on, as browsers are remembered by the time of their last sign-in.
		o.Now = func() time.Time { return atNoon().Add(time.Duration(asked.Add(1)) * time.Microsecond) }
	})
	s.visitors.HashAt(64, 1)
	return s
}

// sign sends a form with a name and a password from an address.
func (b *browser) sign(path, address, name, password string) int {
	b.t.Helper()
	form := url.Values{"name": {name}, "password": {password}}.Encode()
	return b.do(http.MethodPost, path, "application/x-www-form-urlencoded", form, with("X-Forwarded-For", address)).StatusCode
}

// Strangers of many networks try a name as often as they may: the user comes in from the
// browser and from the network in which they have signed in before.
func TestStrangersLockNobodyOut(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o store.Options) {
		s := behindProxy(t, o)
		ada := s.browser(t)
		require.Equal(t, http.StatusSeeOther, ada.sign("/sign-up", "192.0.2.1", "ada", password))
		require.NotNil(t, ada.cookie("device"))
		assert.Equal(t, 2, storetest.Count(t, o, "website_known"))
		assert.Zero(t, storetest.Count(t, o, "website_known WHERE mark LIKE '%"+ada.cookie("device").Value+"%'"), "the table is nobody's browser")
		ada.form("/sign-out")
		tries := map[string][]int{}
		for n := range 101 { // ten from each of ten networks, and one more
			at := fmt.Sprintf("203.0.%d.%d", n/10, n)
			for _, name := range []string{"ada", "nobody"} {
				tries[name] = append(tries[name], s.browser(t).sign("/sign-in", at, name, "wrong password"))
			}
		}
		assert.Equal(t, tries["ada"], tries["nobody"], "nobody learns by it which users there are")
		assert.Equal(t, http.StatusUnauthorized, tries["ada"][99])
		assert.Equal(t, http.StatusTooManyRequests, tries["ada"][100], "guessing is bounded over all networks")
		assert.Equal(t, http.StatusTooManyRequests, s.browser(t).sign("/sign-in", "198.51.100.7", "ada", password), "neither the browser nor the network is known")

		assert.Equal(t, http.StatusSeeOther, ada.sign("/sign-in", "198.51.100.8", "ada", password), "the browser, elsewhere")
		assert.Equal(t, http.StatusSeeOther, s.browser(t).sign("/sign-in", "192.0.2.1", "ada", password), "the network, with another browser")
		assert.Equal(t, http.StatusSeeOther, ada.at(s.second(t, o)).sign("/sign-in", "127.0.0.1", "ada", password), "at another process")
	})
}

// Who has a user's device cookie guesses no more often than a stranger of one network, and
// keeps the user out of nowhere else.
func TestStolenDeviceCookie(t *testing.T) {
	t.Parallel()
	s := behindProxy(t, storetest.SQLite(t))
	ada := s.browser(t)
	require.Equal(t, http.StatusSeeOther, ada.sign("/sign-up", "192.0.2.1", "ada", password))
	stolen := ada.cookie("device").Value
	thief := s.browser(t)
	thief.setCookie("device", stolen)
	for n := range 20 { // ten by the cookie, ten as a stranger
		require.Equal(t, http.StatusUnauthorized, thief.sign("/sign-in", "203.0.113.1", "ada", "wrong password"), n)
	}
	assert.Equal(t, http.StatusTooManyRequests, thief.sign("/sign-in", "203.0.113.1", "ada", password))
	ada.form("/sign-out")
	assert.Equal(t, http.StatusSeeOther, ada.sign("/sign-in", "192.0.2.1", "ada", password), "by the network")

	// It is nobody else's, another password ends it, and a planted one is not taken.
	eve := s.browser(t)
	eve.setCookie("device", "planted")
	require.Equal(t, http.StatusSeeOther, eve.sign("/sign-up", "198.51.100.1", "eve", password))
	assert.NotEqual(t, "planted", eve.cookie("device").Value)
	require.NoError(t, s.visitors.SetPassword(t.Context(), "ada", "another password"))
	assert.Zero(t, storetest.Count(t, s.options, "website_known WHERE folded = 'ada'"))
	assert.Equal(t, 2, storetest.Count(t, s.options, "website_known WHERE folded = 'eve'"))
}

// The browsers and networks of a user that are remembered are few.
func TestFewBrowsersAreRemembered(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o store.Options) {
		s := behindProxy(t, o)
		require.Equal(t, http.StatusSeeOther, s.browser(t).sign("/sign-up", "192.0.2.1", "ada", password))
		var last *browser
		for n := range 12 {
			last = s.browser(t)
			require.Equal(t, http.StatusSeeOther, last.sign("/sign-in", fmt.Sprintf("198.51.%d.1", n), "ada", password))
		}
		assert.Equal(t, 20, storetest.Count(t, o, "website_known"))
		token := last.cookie("device").Value
		require.Equal(t, http.StatusSeeOther, last.sign("/sign-in", "198.51.0.1", "ada", password))
		assert.Equal(t, token, last.cookie("device").Value, "it is known, and stays")
	})
}

// Whoever has a whole network of addresses has them once: as accounts and as guests.
func TestWiderNetworksAreCounted(t *testing.T) {
	t.Parallel()
	s := behindProxy(t, storetest.SQLite(t))
	t.Cleanup(s.Engine.HoldCaptions())
	status := map[string]map[int]int{}
	count := func(what string, code int) {
		if status[what] == nil {
			status[what] = map[int]int{}
		}
		status[what][code]++
	}
	for n := range 45 {
		count("accounts of a /48", s.browser(t).sign("/sign-up", fmt.Sprintf("2001:db8:1:%x::1", n), fmt.Sprintf("a%d", n), password))
		count("accounts of an address", s.browser(t).sign("/sign-up", "192.0.2.1", fmt.Sprintf("b%d", n), password))
	}
	for n := range 25 {
		from := func(address string) int {
			return s.browser(t).extract(strings.Repeat("b", 9)+fmt.Sprintf("%02d", n), with("X-Forwarded-For", address)).StatusCode
		}
		count("guests of a /48", from(fmt.Sprintf("2001:db8:2:%x::1", n)))
		count("guests of a /24", from(fmt.Sprintf("203.0.113.%d", n)))
	}
	assert.Equal(t, map[string]map[int]int{
		"accounts of a /48":      {http.StatusSeeOther: 40, http.StatusTooManyRequests: 5},
		"accounts of an address": {http.StatusSeeOther: 30, http.StatusTooManyRequests: 15}, // a class of a school
		"guests of a /48":        {http.StatusAccepted: 18, http.StatusPaymentRequired: 7},  // 6 times 3
		"guests of a /24":        {http.StatusAccepted: 18, http.StatusPaymentRequired: 7},
	}, status)
}

// All guests of the site together have a bound, however many networks they come from.
func TestGuestsOfAllNetworksAreCounted(t *testing.T) {
	t.Parallel()
	s := onSQLite(t, func(o *visitor.Options) { o.TrustedProxies, o.GuestLinks = loopbacks, 1 })
	t.Cleanup(s.Engine.HoldCaptions())
	accepted := 0
	for n := range 102 {
		a := s.browser(t).extract(video(n), with("X-Forwarded-For", fmt.Sprintf("2001:db8:%x::1", n)))
		if a.StatusCode == http.StatusAccepted {
			accepted++
		}
	}
	assert.Equal(t, 100, accepted)
}

// The line to check passwords is short: a stranger is told when to come again, and who
// comes from where they have signed in before has a line of their own.
func TestTheLineOfPasswordsIsShort(t *testing.T) {
	t.Parallel()
	s := behindProxy(t, storetest.SQLite(t))
	ada := s.browser(t)
	require.Equal(t, http.StatusSeeOther, ada.sign("/sign-up", "192.0.2.1", "ada", password))
	release, err := s.visitors.OccupyPasswords(t.Context())
	require.NoError(t, err)
	known := make(chan int)
	go func() { known <- ada.sign("/sign-in", "192.0.2.1", "ada", password) }()
	for path, name := range map[string]string{"/sign-in": "ada", "/sign-up": "bob"} {
		form := url.Values{"name": {name}, "password": {password}}.Encode()
		a := s.browser(t).do(http.MethodPost, path, "application/x-www-form-urlencoded", form, with("X-Forwarded-For", "203.0.113.1"))
		assert.Equal(t, http.StatusTooManyRequests, a.StatusCode, path)
		assert.Equal(t, "2", a.Header.Get("Retry-After"), path)
	}
	assert.Zero(t, storetest.Count(t, s.options, "website_counts WHERE used > 0 AND subject LIKE 'sign-in%203.0.113%'"), "nobody has looked at the password")
	release()
	assert.Equal(t, http.StatusSeeOther, <-known)
}
