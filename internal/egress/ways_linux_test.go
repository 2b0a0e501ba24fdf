package egress_test

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/internal/test/nstest"
)

// attacks returns links that must lead nowhere.
func attacks(pool bool) (links []string) {
	hosts := append(slices.Clone(spellings),
		"metadata.test", "sixtofour.test", "nat64.test", "compatible.test", "teredo.test",
		"[2002:a00:1::1]", "[64:ff9b::10.0.0.1]", "[64:ff9b:1::10.0.0.1]", "[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]", "[2001:db8::1]", "[3fff::1]",
		"public.test:22", "public.test:8080", "public.test:3128", "public.test:1080")
	if pool { // the exits' own addresses
		for n := 1; n <= 4; n++ {
			for _, host := range []string{"9.9.9.%d", "[::ffff:9.9.9.%d]", "[64:ff9b::9.9.9.%d]", "[2002:909:90%d::]"} {
				hosts = append(hosts, fmt.Sprintf(host+":443", n))
			}
		}
		hosts = append(hosts, "connect.test:443", "socks.test:443", "ownprefix.test", "[2606:4700:1:2::1]", "[2606:4700:1:2:ffff::]", "[2606:4700:1:2::]:443")
	}
	for _, host := range hosts {
		links = append(links, "http://"+host+"/")
	}
	return links
}

// TestWaysOut sends every attack over every way out, in a network in which all addresses can be
// reached.
func TestWaysOut(t *testing.T) {
	if !nstest.Run(t, nstest.Network) {
		return
	}
	w := newWorld(t)
	direct, _ := w.guard(t, false)
	pooled, log := w.guard(t, true)
	w.attack(t, direct, direct.Exits()[0])
	for _, exit := range pooled.Exits() {
		w.attack(t, pooled, exit)
	}
	lines := strings.Join(log.take(), "\n")
	assert.Contains(t, lines, "an address of the deployment's own "+own6)
	assert.Contains(t, lines, "the deployment's own address 9.9.9.1:443")
}

// way is a visit by an exit, with a program in it.
type way struct {
	*world
	exit       string
	visiting   context.Context
	client     *http.Client
	program    *http.Client
	sent, open int
}

func (w *world) attack(t *testing.T, g *egress.Guard, exit *egress.Exit) {
	t.Helper()
	visiting, done := g.Visit(t.Context(), exit)
	defer done()
	pass, err := g.Open(visiting, "job", 0)
	require.NoError(t, err)
	defer func() { assert.NoError(t, pass.Close()) }()
	by := &way{world: w, exit: exit.Name(), visiting: visiting, client: g.Client(), program: behind(t, pass, nil)}

	for _, link := range attacks(by.exit != "direct") {
		by.attack(t, link)
		by.try(t, t.Context(), by.client, link) // outside a visit
		by.try(t, visiting, by.client, "http://public.test/?to="+url.QueryEscape(link))
		by.try(t, t.Context(), by.program, tunneled(t, link))
	}
	if by.exit != "direct" && by.exit != "prefix" { // proxies get no literals
		by.attack(t, "http://"+public4+"/")
		by.attack(t, "http://["+public6+"]/")
	}
	if strings.HasSuffix(by.exit, "-by-name") { // a name with a private address too, and a name without a dot
		by.attack(t, "http://mixed.test/")
		by.attack(t, "http://intranet/")
	}
	by.rebind(t, g, exit)
	by.asksProxiesWell(t)
	by.leads(t)
	t.Logf("%s: %d attacks, %d open", by.exit, by.sent, by.open)
}

// attack sends a link by the client and by the program.
func (by *way) attack(t *testing.T, link string) {
	t.Helper()
	by.try(t, by.visiting, by.client, link)
	by.try(t, t.Context(), by.program, link)
}

// try sends a link that must lead nowhere.
func (by *way) try(t *testing.T, ctx context.Context, client *http.Client, link string) { //nolint:revive // the context is the subject here
	t.Helper()
	by.sent++
	status, err := ask(ctx, t, client, link)
	hits, _ := by.take()
	private := slices.ContainsFunc(hits, func(at string) bool { return at != public4 && at != public6 })
	if private || err == nil && status != http.StatusForbidden {
		by.open++
		assert.Fail(t, "open", "%s: %s: status %d, reached %s", by.exit, link, status, hits)
	}
}

// rebind asks for a name that leads to a private address when it is asked for again.
func (by *way) rebind(t *testing.T, g *egress.Guard, exit *egress.Exit) {
	t.Helper()
	g.UseResolver(newNames(worldNames).resolver())
	visiting, done := g.Visit(t.Context(), exit)
	defer done()
	status, err := ask(visiting, t, by.client, "http://rebind.test/close")
	require.NoError(t, err, by.exit)
	require.Equal(t, http.StatusOK, status)
	_, _ = ask(visiting, t, by.client, "http://rebind.test/close") // may find either address
	by.try(t, visiting, by.client, "http://rebind.test/")
	by.attack(t, "http://rebind.test/")
}

// asksProxiesWell checks what the proxies were asked for.
func (by *way) asksProxiesWell(t *testing.T) {
	t.Helper()
	well := []string{public4 + ":80", "[" + public6 + "]:80"}
	if by.exit != "direct" { // the names go to the proxies that want them
		well = append(well, "public.test:80", "rebind.test:80")
	}
	for _, asked := range by.asked.list() {
		if !slices.Contains(well, strings.TrimPrefix(asked, "CONNECT ")) {
			by.open++
			assert.Fail(t, "open", "%s: a proxy was asked for %s", by.exit, asked)
		}
	}
}

// leads checks that the way leads to public names, from the exit's own address alone.
func (by *way) leads(t *testing.T) {
	t.Helper()
	before := len(by.asked.list())
	for _, client := range []*http.Client{by.client, by.program} {
		status, err := ask(by.visiting, t, client, "http://public.test/close?to=http://public.test/close")
		require.NoError(t, err, by.exit)
		assert.Contains(t, []int{http.StatusOK, http.StatusFound}, status)
	}
	hits, comes := by.take()
	assert.Len(t, hits, 3)
	asked := by.asked.list()[before:]
	switch by.exit {
	case "direct", "prefix":
		assert.Empty(t, asked)
	case "connect", "socks":
		assert.NotEmpty(t, asked)
		assert.NotContains(t, strings.Join(asked, " "), "test")
	default:
		require.NotEmpty(t, asked)
		assert.Equal(t, "CONNECT public.test:80", asked[0])
	}
	own := netip.MustParsePrefix(own6)
	for _, from := range comes {
		assert.Equal(t, by.exit == "prefix", own.Contains(from), "%s: %s", by.exit, from)
		assert.Equal(t, comes[0], from, "one address for a visit")
	}
}

// ask asks for a link and returns the status.
func ask(ctx context.Context, t *testing.T, client *http.Client, link string) (status int, err error) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, link, nil)
	require.NoError(t, err)
	answer, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	return answer.StatusCode, answer.Body.Close()
}

// tunneled returns the link with which a program asks for a tunnel to the same address.
func tunneled(t *testing.T, link string) string {
	t.Helper()
	u, err := url.Parse(link)
	require.NoError(t, err)
	if u.Scheme = "https"; u.Port() == "" {
		u.Host += ":80"
	}
	return u.String()
}

// Each visit by a prefix comes from an address of its own.
func TestPrefix(t *testing.T) {
	if !nstest.Run(t, nstest.Network) {
		return
	}
	w := newWorld(t)
	g, _ := w.guard(t, true)
	exit := g.Exits()[4]
	seen := map[netip.Addr]bool{}
	for range 20 {
		visiting, done := g.Visit(t.Context(), exit)
		_, err := ask(visiting, t, g.Client(), "http://public.test/")
		require.NoError(t, err)
		done()
		_, comes := w.take()
		require.Len(t, comes, 1)
		assert.True(t, netip.MustParsePrefix(own6).Contains(comes[0]), comes)
		seen[comes[0]] = true
	}
	assert.Len(t, seen, 20)

	visiting, done := g.Visit(t.Context(), exit)
	defer done()
	_, err := ask(visiting, t, g.Client(), "http://four.test/")
	require.ErrorContains(t, err, "the host has no IPv6 address")
	require.NotNil(t, egress.ExitFailed(visiting), "another exit may reach the host")
	_, err = ask(visiting, t, g.Client(), "http://absent.test/")
	require.ErrorContains(t, err, "no such host")
	require.Nil(t, egress.ExitFailed(visiting))
	status, err := ask(visiting, t, g.Client(), "http://["+public6+"]/")
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, status)
}

// A test of a prefix tells what the machine lacks.
func TestHealthOfPrefix(t *testing.T) {
	if !nstest.Run(t, nstest.Network) {
		return
	}
	w := &world{}
	g, _ := w.guard(t, true)
	exit := g.Exits()[4]
	assert.Equal(t, own6, exit.Address())
	link := "http://[" + public6 + "]/"
	h := exit.Test(t.Context(), link)
	require.EqualError(t, h.Err, "the kernel does not take "+own6+" as its own")
	assert.Equal(t, "ip -6 route add local "+own6+" dev lo", h.Cure)

	at := netip.MustParsePrefix(own6).Addr().As16()
	require.NoError(t, nstest.AddLocal(unix.AF_INET6, at[:], 64))
	h = exit.Test(t.Context(), link)
	require.Error(t, h.Err)
	assert.Contains(t, h.Cure, "let the provider route the prefix to this machine")

	w = newWorld(t)
	assert.Equal(t, egress.Health{Status: http.StatusOK}, exit.Test(t.Context(), link))
	_, comes := w.take()
	require.Len(t, comes, 1)
	assert.True(t, netip.MustParsePrefix(own6).Contains(comes[0]))
}
