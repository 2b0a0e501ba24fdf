package egress_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/egress"
)

// spellings are ways to say "this machine", or another private one, that some
// resolver or other understands.
var spellings = []string{
	"127.0.0.1", "127.0.0.1.", "127.1", "127.0.1", "127.000.000.001", "127.255.255.254",
	"2130706433", "0x7f000001", "0X7F000001", "017700000001", "0177.0.0.1", "0177.0.0.01", "0x7f.0.0.1", "0x7f.1",
	"0", "0.0.0.0", "[::]", "[::1]", "[0:0:0:0:0:0:0:1]", "[::127.0.0.1]",
	"[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]", "[::FFFF:127.0.0.1]",
	"[64:ff9b::127.0.0.1]", "[2002:7f00:1::]", "[2001:0:7f00:1::]",
	"localhost", "LocalHost", "localhost.",
	"100.64.0.1", "169.254.169.254", "10.0.0.1", "172.16.0.1", "192.168.0.1", "198.18.0.1", "224.0.0.1", "255.255.255.255",
	"[fd00::1]", "[fe80::1]", "[ff02::1]",
	"private.test", "private6.test", "mapped.test", "shared.test", "several.test",
}

var privateNames = map[string][]string{
	"private.test":  {"127.0.0.1"},
	"private6.test": {"::1"},
	"mapped.test":   {"::ffff:127.0.0.1"},
	"shared.test":   {"100.64.0.1"},
	"localhost":     {"127.0.0.1"}, // asked for with a final dot
	"several.test":  {"127.0.0.1 10.0.0.1 ::1 fd00::1"},
}

func TestPrivateAddressesAreRefused(t *testing.T) {
	t.Parallel()
	target := newSite(t, nil)
	g, log := newGuard(t, egress.Config{})
	g.UseResolver(newNames(privateNames).resolver())
	g.Pretend(target.port())
	p := open(t, g, "job-7", 0)
	for _, host := range spellings {
		link := fmt.Sprintf("http://%s:%d/secret?token=abc", host, target.at.Port())

		_, _, err := get(t, g.Client(), link)
		var refusal *egress.Refusal
		require.ErrorAs(t, err, &refusal, host)
		require.ErrorIs(t, err, egress.ErrRefused)
		assert.Contains(t, refusal.Address, fmt.Sprint(":", target.at.Port()), host)
		lines := log.take()
		require.Len(t, lines, 1, host)
		assert.Contains(t, lines[0], refusal.Reason)

		before := len(p.Refused())
		status, body, err := get(t, behind(t, p, nil), link)
		require.NoError(t, err, host)
		assert.Equal(t, http.StatusForbidden, status, host)
		assert.Contains(t, body, "refused: ")
		assert.Len(t, p.Refused(), before+1, host)
		lines = log.take()
		require.Len(t, lines, 1, host)
		assert.Contains(t, lines[0], "level=WARN")
		assert.Contains(t, lines[0], "job=job-7")
		assert.Contains(t, lines[0], fmt.Sprint(":", target.at.Port()))
		assert.NotContains(t, lines[0], "token")
	}
	// Digits of other scripts, which the client maps to ASCII, and zones.
	for _, host := range []string{"①②⑦.⓪.⓪.①", "127。0。0。1", "[fe80::1%25lo]", "[::1%25lo]"} {
		_, _, err := get(t, g.Client(), fmt.Sprintf("http://%s:%d/", host, target.at.Port()))
		require.ErrorIs(t, err, egress.ErrRefused, host)
	}
	assert.Zero(t, target.requests.Load())
}

func TestTunnelsToPrivateAddressesAreRefused(t *testing.T) {
	t.Parallel()
	target := newTLSSite(t, nil)
	g, log := newGuard(t, egress.Config{})
	g.UseResolver(newNames(privateNames).resolver())
	g.Pretend(target.port())
	p := open(t, g, "job-8", 0)
	for _, host := range spellings {
		_, _, err := get(t, behind(t, p, target), fmt.Sprintf("https://%s:%d/", host, target.at.Port()))
		require.ErrorContains(t, err, "Forbidden", host)
		require.Len(t, log.take(), 1, host)
	}
	assert.Zero(t, target.requests.Load())
	assert.Len(t, p.Refused(), len(spellings))
}

func TestPorts(t *testing.T) {
	t.Parallel()
	g, log := newGuard(t, egress.Config{})
	dns := newNames(nil)
	g.UseResolver(dns.resolver())
	p := open(t, g, "job", 0)
	for _, address := range []string{"8.8.8.8:22", "8.8.8.8:8080", "site.test:25", "[2606:4700::1111]:6379", "site.test:65535"} {
		_, _, err := get(t, g.Client(), "http://"+address)
		var refusal *egress.Refusal
		require.ErrorAs(t, err, &refusal, address)
		port := address[strings.LastIndexByte(address, ':')+1:]
		assert.Equal(t, egress.Refusal{Address: address, Reason: "port " + port}, *refusal)
		status, _, err := get(t, behind(t, p, nil), "http://"+address)
		require.NoError(t, err)
		assert.Equal(t, http.StatusForbidden, status)
		assert.Len(t, log.take(), 2)
	}
	assert.Zero(t, dns.count("site.test"), "a port is refused before a name is looked up")
}

func TestAllowedByName(t *testing.T) {
	t.Parallel()
	target := newSite(t, nil)
	port := target.at.Port()
	g, log := newGuard(t, egress.Config{Allow: []string{
		target.at.String(), fmt.Sprintf("Named.test:%d", port), "closed.test:22",
	}})
	dns := newNames(map[string][]string{
		"named.test": {"127.0.0.1"}, "other.test": {"127.0.0.1"}, "closed.test": {"127.0.0.1"},
	})
	g.UseResolver(dns.resolver())
	for _, host := range []string{"127.0.0.1", "named.test", "NAMED.TEST"} {
		status, body, err := get(t, g.Client(), fmt.Sprintf("http://%s:%d/", host, port))
		require.NoError(t, err, host)
		assert.Equal(t, "200 hello", fmt.Sprint(status, " ", body), host)
	}
	for _, host := range []string{"localhost", "other.test", "named.test.", "[::ffff:127.0.0.1]", "2130706433", "127.1", "0x7f.1"} {
		_, _, err := get(t, g.Client(), fmt.Sprintf("http://%s:%d/", host, port))
		require.ErrorIs(t, err, egress.ErrRefused, host)
	}
	_, _, err := get(t, g.Client(), "http://named.test/")
	require.ErrorIs(t, err, egress.ErrRefused, "allowed on its port only")
	assert.EqualValues(t, 3, target.requests.Load())
	assert.Len(t, log.take(), 8)
}

// TestRebinding: a name that changes its mind. What is connected to is what was
// judged, and the next connection is judged anew.
func TestRebinding(t *testing.T) {
	t.Parallel()
	public := newSite(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Connection", "close") })
	g, _ := newGuard(t, egress.Config{})
	dns := newNames(map[string][]string{"rebind.test": {"127.0.0.1", "127.0.0.2"}})
	g.UseResolver(dns.resolver())
	g.Pretend(public.at)
	link := fmt.Sprintf("http://rebind.test:%d/", public.at.Port())
	_, _, err := get(t, g.Client(), link)
	require.NoError(t, err)
	assert.Equal(t, 1, dns.count("rebind.test"), "looked up once for a connection")

	_, _, err = get(t, g.Client(), link)
	var refusal *egress.Refusal
	require.ErrorAs(t, err, &refusal)
	assert.Equal(t, "loopback address 127.0.0.2", refusal.Reason)
	assert.Equal(t, 2, dns.count("rebind.test"))
	assert.EqualValues(t, 1, public.requests.Load())
}

// TestMixedAnswer: of the addresses of a name the private ones are never tried.
func TestMixedAnswer(t *testing.T) {
	t.Parallel()
	public := newSite(t, nil)
	g, log := newGuard(t, egress.Config{})
	g.UseResolver(newNames(map[string][]string{"mixed.test": {"127.0.0.2 127.0.0.1"}}).resolver())
	g.Pretend(public.at)
	_, body, err := get(t, g.Client(), fmt.Sprintf("http://mixed.test:%d/", public.at.Port()))
	require.NoError(t, err)
	assert.Equal(t, "hello", body)
	assert.Empty(t, log.take())
}

func TestUnknownName(t *testing.T) {
	t.Parallel()
	g, log := newGuard(t, egress.Config{})
	g.UseResolver(newNames(nil).resolver())
	_, _, err := get(t, g.Client(), "http://absent.test/")
	require.ErrorContains(t, err, "no such host")
	require.NotErrorIs(t, err, egress.ErrRefused)
	p := open(t, g, "job", 0)
	status, body, err := get(t, behind(t, p, nil), "http://absent.test/")
	require.NoError(t, err)
	assert.Equal(t, http.StatusBadGateway, status)
	assert.Equal(t, "cannot be reached\n", body)
	assert.Empty(t, p.Refused())
	assert.Empty(t, log.take())
}

// TestDenied: the deployment's own addresses stay closed although their port is
// open and their range would pass.
func TestDenied(t *testing.T) {
	t.Parallel()
	own := newSite(t, nil)
	port := own.at.Port()
	for deny, hosts := range map[string][]string{
		"127.0.0.1": {"127.0.0.1", "[::ffff:127.0.0.1]", "literal.test", "both.test"},
		"own.test":  {"own.test", "OWN.test", "own.test.", "127.0.0.1", "literal.test"},
		"localhost": {"localhost", "127.0.0.1", "literal.test"},
		"[::1]":     {"127.0.0.1", "literal.test"},
		"0.0.0.0":   {"127.0.0.1", "literal.test"},
		"gone.test": {"127.0.0.1", "literal.test"}, // who knows what it was
	} {
		dns := newNames(map[string][]string{
			"literal.test": {"127.0.0.1"}, "own.test": {"127.0.0.1"}, "both.test": {"::1 127.0.0.1"},
		})
		g, log := newGuard(t, egress.Config{Deny: []string{fmt.Sprintf("%s:%d", deny, port)}})
		g.UseResolver(dns.resolver())
		g.Pretend(own.at)
		for _, host := range hosts {
			_, _, err := get(t, g.Client(), fmt.Sprintf("http://%s:%d/", host, port))
			var refusal *egress.Refusal
			require.ErrorAs(t, err, &refusal, "%s, %s denied", host, deny)
			if !strings.Contains(host, "ffff") && host != "localhost" && host != "both.test" {
				assert.Contains(t, refusal.Reason, "the deployment's own", "%s, %s denied", host, deny)
			}
			assert.Len(t, log.take(), 1)
		}
		assert.LessOrEqual(t, dns.count("own.test"), 2, "denied names are looked up once in a while")
	}
	assert.Zero(t, own.requests.Load())
}

// TestDeniedAlthoughAllowed: a name that is allowed and later leads to the
// deployment's own address.
func TestDeniedAlthoughAllowed(t *testing.T) {
	t.Parallel()
	own := newSite(t, nil)
	port := own.at.Port()
	g, _ := newGuard(t, egress.Config{
		Allow: []string{fmt.Sprintf("fine.test:%d", port)},
		Deny:  []string{fmt.Sprintf("127.0.0.1:%d", port)},
	})
	g.UseResolver(newNames(map[string][]string{"fine.test": {"127.0.0.1"}}).resolver())
	_, _, err := get(t, g.Client(), fmt.Sprintf("http://fine.test:%d/", port))
	require.ErrorIs(t, err, egress.ErrRefused)
	assert.Zero(t, own.requests.Load())
}

func TestNewNamesTheAddressItRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config egress.Config
		says   string
	}{
		"no port":         {egress.Config{Allow: []string{"site.test"}}, `Allow: "site.test"`},
		"port 0":          {egress.Config{Allow: []string{"site.test:0"}}, `Allow: "site.test:0"`},
		"port name":       {egress.Config{Deny: []string{"site.test:http"}}, `Deny: "site.test:http"`},
		"port too large":  {egress.Config{Deny: []string{"site.test:65536"}}, `Deny: "site.test:65536"`},
		"link":            {egress.Config{Allow: []string{"http://site.test:80"}}, `Allow: "http://site.test:80"`},
		"number":          {egress.Config{Allow: []string{"2130706433:80"}}, `Allow: "2130706433:80": not a host name`},
		"zone":            {egress.Config{Allow: []string{"[fe80::1%lo]:80"}}, `Allow: "[fe80::1%lo]:80"`},
		"empty host":      {egress.Config{Allow: []string{":80"}}, `Allow: ":80"`},
		"same":            {egress.Config{Allow: []string{"127.0.0.1:5432"}, Deny: []string{"127.0.0.1:5432"}}, "127.0.0.1:5432"},
		"same name":       {egress.Config{Allow: []string{"DB.test:5432"}, Deny: []string{"db.test:5432"}}, "db.test:5432"},
		"other spelling":  {egress.Config{Allow: []string{"[::ffff:10.0.0.1]:1"}, Deny: []string{"10.0.0.1:1"}}, "10.0.0.1:1"},
		"resolves to it":  {egress.Config{Allow: []string{"localhost:5432"}, Deny: []string{"127.0.0.1:5432"}}, "localhost:5432"},
		"denied resolves": {egress.Config{Allow: []string{"127.0.0.1:5432"}, Deny: []string{"localhost:5432"}}, "127.0.0.1:5432"},
		"other loopback":  {egress.Config{Allow: []string{"127.0.0.2:5432"}, Deny: []string{"[::1]:5432"}}, "127.0.0.2:5432"},
	} {
		g, err := egress.New(c.config)
		require.ErrorContains(t, err, c.says, name)
		assert.Nil(t, g)
	}
	g, err := egress.New(egress.Config{Allow: []string{"127.0.0.1:9099", "[::1]:80"}, Deny: []string{"127.0.0.1:5432", "10.0.0.1:80"}})
	require.NoError(t, err)
	require.NoError(t, g.Close())
}

func TestRefusal(t *testing.T) {
	t.Parallel()
	var err error = &egress.Refusal{Address: "127.0.0.1:80", Reason: "loopback address 127.0.0.1"}
	require.EqualError(t, err, "egress: refused 127.0.0.1:80: loopback address 127.0.0.1")
	assert.True(t, errors.Is(err, egress.ErrRefused)) //nolint:testifylint // the sentinel itself is under test
}

func TestJudgeKnowsPublic(t *testing.T) {
	t.Parallel()
	g, _ := newGuard(t, egress.Config{Deny: []string{"93.184.216.34:443"}})
	assert.Empty(t, g.Judge(netip.MustParseAddrPort("93.184.216.34:80")))
	assert.Equal(t, "the deployment's own address 93.184.216.34:443", g.Judge(netip.MustParseAddrPort("93.184.216.34:443")))
	assert.NotEmpty(t, g.Judge(netip.MustParseAddrPort("[::ffff:93.184.216.34]:443")))
}
