package egress_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/internal/test/nstest"
)

// The addresses of the world.
const (
	public4 = "93.184.216.34"
	public6 = "2606:2800:220:1::80"
	own6    = "2606:4700:1:2::/64" // the prefix of an exit
)

// worldNames are the names of the world. The proxies know the same names.
var worldNames = map[string][]string{
	"public.test":     {public4 + " " + public6},
	"four.test":       {public4},
	"mixed.test":      {"10.0.0.1 fd00::1 " + public4 + " " + public6},
	"rebind.test":     {public4 + " " + public6, public4 + " " + public6, "127.0.0.1 ::1"}, // changes from the second or third lookup on
	"localhost":       {"127.0.0.1"},
	"private.test":    {"127.0.0.1"},
	"private6.test":   {"::1"},
	"mapped.test":     {"::ffff:127.0.0.1"},
	"shared.test":     {"100.64.0.1"},
	"several.test":    {"127.0.0.1 10.0.0.1 ::1 fd00::1"},
	"metadata.test":   {"169.254.169.254"},
	"sixtofour.test":  {"2002:7f00:1::"},
	"nat64.test":      {"64:ff9b::7f00:1"},
	"compatible.test": {"::127.0.0.1"},
	"teredo.test":     {"2001:0:7f00:1::"},
	"intranet":        {public4 + " " + public6},
	"connect.test":    {"9.9.9.1"},
	"socks.test":      {"9.9.9.2"},
	"ownprefix.test":  {"2606:4700:1:2::77"},
}

// world is a network in which every address leads to this machine, so that nothing private is
// unreachable by chance. A site answers on port 80 of each address.
type world struct {
	mu    sync.Mutex
	hits  []string // the addresses on which the site was asked
	comes []netip.Addr
	asked targets // what the proxies were asked for
}

func newWorld(t *testing.T) *world {
	t.Helper()
	nstest.OwnAll(t)
	w := &world{}
	w.listen(t, "[::]:80", func(l net.Listener) func() error {
		server := &http.Server{Handler: http.HandlerFunc(w.answer)}
		go func() { _ = server.Serve(l) }()
		return server.Close
	})
	w.proxy(t, "9.9.9.1:443")
	w.proxy(t, "9.9.9.3:443")
	w.socks(t, "9.9.9.2:443")
	w.socks(t, "9.9.9.4:443")
	return w
}

func (w *world) listen(t *testing.T, address string, serve func(net.Listener) func() error) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
	require.NoError(t, err)
	stop := serve(l)
	t.Cleanup(func() { _ = stop() })
}

// answer is the site: it redirects to the link that the query names.
func (w *world) answer(rw http.ResponseWriter, r *http.Request) {
	at := netip.MustParseAddrPort(r.Context().Value(http.LocalAddrContextKey).(net.Addr).String()).Addr().Unmap()
	from := netip.MustParseAddrPort(r.RemoteAddr).Addr().Unmap()
	w.mu.Lock()
	w.hits, w.comes = append(w.hits, at.String()), append(w.comes, from)
	w.mu.Unlock()
	if strings.HasPrefix(r.URL.Path, "/close") {
		rw.Header().Set("Connection", "close")
	}
	if to := r.URL.Query().Get("to"); to != "" {
		http.Redirect(rw, r, to, http.StatusFound)
		return
	}
	_, _ = io.WriteString(rw, "hello")
}

// take returns where the site was asked and from which addresses, since the last call.
func (w *world) take() (hits []string, comes []netip.Addr) {
	w.mu.Lock()
	defer w.mu.Unlock()
	hits, comes, w.hits, w.comes = w.hits, w.comes, nil, nil
	return hits, comes
}

// proxy serves a proxy with CONNECT. It reaches what it is asked for.
func (w *world) proxy(t *testing.T, address string) {
	t.Helper()
	w.listen(t, address, func(l net.Listener) func() error {
		server := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			w.asked.add(r.Method + " " + r.Host)
			if r.Method != http.MethodConnect {
				return
			}
			remote, err := dialWorld(r.Host)
			if err != nil {
				refuse(rw, http.StatusBadGateway)
				return
			}
			client, _, err := http.NewResponseController(rw).Hijack()
			if err == nil {
				_, _ = io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n")
				join(client, remote)
			}
		})}
		go func() { _ = server.Serve(l) }()
		return server.Close
	})
}

// socks serves a proxy with SOCKS. It reaches what it is asked for.
func (w *world) socks(t *testing.T, address string) {
	t.Helper()
	w.listen(t, address, func(l net.Listener) func() error {
		go func() {
			for {
				client, err := l.Accept()
				if err != nil {
					return
				}
				go w.relay(client)
			}
		}()
		return l.Close
	})
}

func (w *world) relay(client net.Conn) {
	defer client.Close()
	head := make([]byte, 2)
	if _, err := io.ReadFull(client, head); err != nil || head[0] != 5 {
		w.asked.add("no SOCKS")
		return
	}
	_, _ = io.ReadFull(client, make([]byte, head[1]))
	_, _ = client.Write([]byte{5, 0})
	request := make([]byte, 5)
	if _, err := io.ReadFull(client, request); err != nil {
		return
	}
	size := map[byte]int{1: 4, 3: int(request[4]) + 1, 4: 16}[request[3]]
	rest := make([]byte, size+1)
	if _, err := io.ReadFull(client, rest); err != nil {
		return
	}
	host := string(rest[:size-1])
	if request[3] != 3 {
		ip, _ := netip.AddrFromSlice(append(request[4:5:5], rest[:size-1]...))
		host = ip.String()
	}
	to := net.JoinHostPort(host, fmt.Sprint(int(rest[size-1])<<8|int(rest[size])))
	w.asked.add("CONNECT " + to)
	remote, err := dialWorld(to)
	if err != nil {
		return
	}
	_, _ = client.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	join(client, remote)
}

// dialWorld connects to an address, or to a name as a proxy of the world knows it.
func dialWorld(address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if known := worldNames[host]; known != nil {
		host, _, _ = strings.Cut(known[0], " ")
	}
	return net.Dial("tcp", net.JoinHostPort(host, port))
}

// guard makes a guard that leaves by all exits, or directly.
func (w *world) guard(t *testing.T, exits bool) (*egress.Guard, *logged) {
	t.Helper()
	c := egress.Config{}
	if exits {
		c.Exits = []egress.Listed{
			{Name: "connect", Address: "http://9.9.9.1:443"},
			{Name: "socks", Address: "socks5://9.9.9.2:443"},
			{Name: "connect-by-name", Address: "http://9.9.9.3:443", ByName: true},
			{Name: "socks-by-name", Address: "socks5://9.9.9.4:443", ByName: true},
			{Name: "prefix", Address: own6},
		}
	}
	g, log := newGuard(t, c)
	g.UseResolver(newNames(worldNames).resolver())
	return g, log
}
